import { describe, expect, test } from 'vitest';
import { failure, useApp } from '../../../../test/support/app.ts';
import { useDatabase } from '../../../../test/support/database.ts';
import { createLibrary, createReader, join, type Reader } from '../../../../test/support/libraries.ts';
import { type SavedFields, saveReady } from '../../../../test/support/saved-media.ts';

const database = useDatabase();
const app = useApp(database);
const save = (reader: Reader, fields: SavedFields) => saveReady(database.sql, reader, fields);

interface Hit {
  media: { id: string; title: string };
  passages: {
    fragment_idx: number;
    fragment_title: string | null;
    snippet: { text: string; is_match: boolean }[];
  }[];
}

async function search(reader: Reader, q: string, more = ''): Promise<Hit[]> {
  const { status, body } = await reader.get(`/api/v1/search?q=${encodeURIComponent(q)}${more}`);
  if (status !== 200) throw new Error(`${status} ${JSON.stringify(body)}`);
  return body.data;
}

const titles = async (reader: Reader, q: string, more = '') =>
  (await search(reader, q, more)).map(({ media }) => media.title);

describe('a query', () => {
  const LIBRARY: SavedFields[] = [
    {
      title: 'Lighthouses of the north',
      author: 'Ada Keeper',
      texts: ['Fog horns and lamps.', 'The keeper sleeps.'],
    },
    { title: 'On fog', texts: ['Fog is a cloud on the ground. It hides the lighthouse.'] },
    { title: 'Cooking with salt', texts: ['Salt the water. No fog here.'], kind: 'epub' },
  ];

  async function keeper(): Promise<Reader> {
    const reader = await createReader(app);
    for (const fields of LIBRARY) await save(reader, fields);
    return reader;
  }

  test.each([
    ['lighthouse', ['Lighthouses of the north', 'On fog']],
    ['LIGHTHOUSE', ['Lighthouses of the north', 'On fog']],
    ['lighth', ['Lighthouses of the north', 'On fog']],
    ['fog lamps', ['Lighthouses of the north']],
    ['fog -salt -keeper', ['On fog']],
    ['"fog horns"', ['Lighthouses of the north']],
    ['"horns fog"', []],
    ['"fog horns', ['Lighthouses of the north']],
    ['salt or lamps', ['Cooking with salt', 'Lighthouses of the north']],
    ['ada', ['Lighthouses of the north']],
    ['well-known', []],
    ['fog-horns', ['Lighthouses of the north']],
    ['fog.horns/lamps', ['Lighthouses of the north']],
    ['keeper sleep', ['Lighthouses of the north']],
    ['nothing of the kind', []],
    ['- " ( & | ! : * <->', []],
  ])('%s', async (q, expected) => {
    expect(await titles(await keeper(), q)).toEqual(expected);
  });

  test('titles rank higher than text', async () => {
    const reader = await createReader(app);
    await save(reader, { title: 'Other things', texts: ['whale '.repeat(5)] });
    await save(reader, { title: 'The whale', texts: ['About the sea.'] });
    expect(await titles(reader, 'whale')).toEqual(['The whale', 'Other things']);
  });

  test('filters by library and kind', async () => {
    const reader = await keeper();
    expect(await titles(reader, 'fog', '&kind=epub')).toEqual(['Cooking with salt']);
    const libraryId = await createLibrary(reader);
    expect(await titles(reader, 'fog', `&library_id=${libraryId}`)).toEqual([]);
    const [hit] = await search(reader, 'cooking');
    await reader.post(`/libraries/${libraryId}/media`, { media_id: hit?.media.id });
    expect(await titles(reader, 'fog', `&library_id=${libraryId}`)).toEqual(['Cooking with salt']);
    expect(await titles(reader, 'fog', `&library_id=${libraryId}&kind=pdf`)).toEqual([]);
  });

  test('results are paged, each once', async () => {
    const reader = await createReader(app);
    for (let count = 0; count < 7; count++)
      await save(reader, { title: `Page ${count}`, texts: ['the same word'] });
    const seen: string[] = [];
    for (let cursor = ''; ; ) {
      const { body } = await reader.get(`/api/v1/search?q=word&limit=3${cursor}`);
      seen.push(...body.data.map(({ media }: Hit) => media.title));
      if (!body.page.has_more) break;
      cursor = `&cursor=${body.page.next_cursor}`;
    }
    expect(seen.toSorted()).toEqual(Array.from({ length: 7 }, (_, count) => `Page ${count}`));
  });

  test('a new media is found by its title before it has text', async () => {
    const reader = await createReader(app);
    const id = await save(reader, { title: 'example.org/quokka' });
    await database.sql`delete from media_search where media_id = ${id}`;
    await database.sql`update media set plain_text = null where id = ${id}`;
    expect(await search(reader, 'quokka')).toMatchObject([{ media: { id }, passages: [] }]);
  });
});

describe('in other languages', () => {
  test.each([
    ['French without accents', 'Élégance à la carte', 'elegance'],
    ['French with accents', 'Elegance a la carte', 'élégance'],
    ['German', 'Die Straße über den Fluß', 'uber fluß'],
    ['Spanish', 'El niño y el océano', 'NIÑO'],
    ['Vietnamese', 'Tiếng Việt dễ học', 'tieng viet'],
    ['Czech, decomposed', 'Příliš žluťoučký kůň'.normalize('NFD'), 'zlutoucky'],
    ['Greek', 'Η θάλασσα και ο ουρανός', 'θαλασσα'],
    ['Russian', 'Война и мир', 'войн'],
    ['Arabic', 'كتاب البحر الكبير', 'البحر'],
    ['Hebrew', 'הספר הגדול', 'הספר'],
    ['Hindi', 'समुद्र की कहानी', 'कहानी'],
    ['Korean', '바다의 노래를 들어라', '바다'],
    ['Chinese, in the middle of a sentence', '我在图书馆读了一本书', '图书馆'],
    ['Japanese, kana and kanji', '港の時計は遅れていた。だれも直さなかった。', '時計は遅れ'],
    ['Thai', 'ห้องสมุดแห่งชาติ', 'สมุด'],
    ['full-width letters', 'Ｎｅｘｕｓ', 'nexus'],
  ])('%s', async (_language, text, q) => {
    const reader = await createReader(app);
    const id = await save(reader, { title: 'T', texts: [`… ${text} …`] });
    expect((await search(reader, q)).map(({ media }) => media.id)).toEqual([id]);
    const byTitle = await createReader(app);
    await save(byTitle, { title: text, texts: ['x'] });
    expect(await search(byTitle, q)).toHaveLength(1);
  });

  test('a Chinese phrase that is not in the text is not found', async () => {
    const reader = await createReader(app);
    await save(reader, { title: 'T', texts: ['我在图书馆读了一本书'] });
    expect(await search(reader, '书图')).toEqual([]);
    expect(await search(reader, '读 -图书馆')).toEqual([]);
  });
});

describe('punctuation and symbols of any script separate words', () => {
  test.each([
    ['She said “hello” to Bob', ['hello', '"said hello to"']],
    ['it doesn’t matter', ['doesn’t', "doesn't", 'doesn']],
    ['Einstein’s theory', ['einstein', 'einstein’s theory']],
    ['Эпоха «Возрождения»', ['возрождения', '«Возрождения»']],
    ['¿Qué pasa?', ['que', '¿qué pasa']],
    ['of war—and peace', ['war', '"war and peace"']],
    ['the war of 1914–1918', ['1914', '1918', '1914–1918']],
    ['it costs €20 now', ['20', '€20']],
    ['l’océan', ['ocean', 'l’océan', "l'océan"]],
    ['كتاب، وقلم', ['"كتاب"', '"وقلم"']],
    ['यह कहानी। वह', ['"कहानी"']],
    ['a\u00a0hard\u2003space\u2028here', ['hard', 'space', 'here']],
    ['wait…what', ['wait', 'what']],
    ['ジョン・スミス', ['ジョン', 'スミス', 'ジョン・スミス']],
    ['good😀morning', ['good', 'morning']],
    ['Nexus™ and Other®', ['nexus', 'nexus™', 'other']],
    ['the area x² and the end.¹ Then', ['x', 'x²', '"area x² and"', 'end', 'then']],
    ['it took 3½ hours', ['3½', '3']],
    [
      'www.example.org, a@example.org and 3.14',
      ['example', 'www.example.org', 'a@example.org', '3.14', '14'],
    ],
  ])('%s', async (text, queries) => {
    const [inText, inTitle] = [await createReader(app), await createReader(app)];
    await save(inText, { title: 'T', texts: [`… ${text} …`] });
    await save(inTitle, { title: text, texts: ['z'] });
    for (const q of queries) {
      expect.soft(await search(inText, q), `${q} in text`).toHaveLength(1);
      expect.soft(await search(inTitle, q), `${q} in title`).toHaveLength(1);
    }
  });
});

describe('invisible characters in words', () => {
  test.each([
    ['soft hyphens', 'inter\u00adnatio\u00adnal', ['international', 'inter\u00adnational', 'internat']],
    ['a zero-width space', 'foo\u200bbar', ['foobar', 'foo\u200bbar']],
    ['a word joiner', 'hello\u2060world', ['helloworld']],
    ['a byte order mark', '\ufeffbeginning', ['beginning']],
    ['direction marks', '\u200eabc\u200f\u202adef\u202c', ['abcdef']],
    ['a Persian word with a non-joiner', 'می\u200cخواهم', ['می\u200cخواهم', 'میخواهم']],
    ['a Sinhala word with a joiner', 'ශ්\u200dරී ලංකා', ['ශ්\u200dරී', 'ශ්රී']],
    ['a Chinese character with a variation selector', '葛\u{e0100}城市', ['葛城', '葛\u{e0100}城']],
  ])('do not matter: %s', async (_name, text, queries) => {
    const reader = await createReader(app);
    await save(reader, { title: 'T', texts: [`Here ${text} there`] });
    for (const q of queries) {
      const [hit] = await search(reader, q);
      expect.soft(hit?.passages[0]?.snippet, q).toContainEqual(expect.objectContaining({ is_match: true }));
    }
  });

  test('do not begin a word', async () => {
    const reader = await createReader(app);
    await save(reader, { title: 'T', texts: ['an inter\u00adnational nation'] });
    const [hit] = await search(reader, 'nation');
    expect(hit?.passages[0]?.snippet).toEqual([
      { text: 'an inter\u00adnational ', is_match: false },
      { text: 'nation', is_match: true },
    ]);
  });
});

describe('a phrase in a long text', () => {
  /** Chinese characters, none of them more than 255 times. */
  const chinese = (count: number) =>
    Array.from({ length: count }, (_, n) => String.fromCodePoint(0x4e00 + ((n * 7) % 3000))).join('');
  const the = 'the cat sat on a mat and went home. '.repeat(300);
  const listed = async (reader: Reader, q: string) =>
    (await reader.get(`/media?q=${encodeURIComponent(q)}`)).body.data.length;

  test.each([
    ['beyond the last position of a document', `${chinese(20_000)}。鯨鯤鱗鷗。`, '鯨鯤鱗鷗', '鷗鱗鯤鯨'],
    ['with a very frequent word', `${the}The tide of the sea.`, '"tide of the sea"', '"sea of the tide"'],
    ['with a frequent Chinese character', `${'我的书。'.repeat(300)}海洋的潮汐`, '海洋的潮汐', '潮汐的海洋'],
    ['in Thai', `${'ความรัก '.repeat(400)}ห้องสมุดแห่งชาติ`, 'ห้องสมุด', 'สมุดห้อง'],
    ['with punctuation', `${the}War—and the “Peace”`, '"war and the peace"', '"peace and the war"'],
    ['and a word', `${the}The tide of the sea.`, 'mat "tide of the sea"', 'dog "tide of the sea"'],
    ['or a word', `${the}The tide of the sea.`, 'dog or "tide of the sea"', 'dog or "sea the of tide"'],
    ['and another one', `${the}The tide of the sea.`, '"cat sat" "of the sea"', '"cat sat" "sea of the"'],
  ])('%s', async (_name, text, found, missing) => {
    const reader = await createReader(app);
    await save(reader, { title: 'Long', texts: [text] });
    expect(await titles(reader, found)).toEqual(['Long']);
    expect(await titles(reader, missing)).toEqual([]);
    expect(await listed(reader, found)).toBe(1);
    expect(await listed(reader, missing)).toBe(0);
    expect(await listed(reader, `-(${found})`)).toBe(0);
    expect(await listed(reader, `-(${missing})`)).toBe(1);
  });

  test('and another one in the title', async () => {
    const reader = await createReader(app);
    await save(reader, { title: 'Spring tides', texts: [`${the}The tide of the sea.`] });
    expect(await titles(reader, '"spring tides" "tide of the sea"')).toEqual(['Spring tides']);
  });

  test('is shown as a passage', async () => {
    const reader = await createReader(app);
    await save(reader, { title: 'Long', texts: [`${chinese(20_000)}\n鯨鯤鱗鷗。`] });
    const [hit] = await search(reader, '鯨鯤鱗鷗');
    expect(hit?.passages[0]?.snippet).toContainEqual({ text: '鯨鯤鱗鷗', is_match: true });
  });

  test('needs a copy of the words only if positions are missing', async () => {
    const reader = await createReader(app);
    const ids = [
      await save(reader, { title: 'Short', texts: ['The tide of the sea.'] }),
      await save(reader, { title: 'Long', texts: [the] }),
    ];
    const rows = await database.sql`
      select words from media_search where media_id = any(${ids}::uuid[]) order by media_id`;
    expect([...rows]).toEqual([
      { words: null },
      { words: ` ${'the cat sat on a mat and went home '.repeat(300)}` },
    ]);
  });
});

describe('passages', () => {
  test('show the match in its fragment', async () => {
    const reader = await createReader(app);
    await save(reader, {
      title: 'Book',
      texts: ['Chapter one.', `${'Long before. '.repeat(40)}Here the Café opens; a café again.`, 'The end.'],
    });
    const [passage] = (await search(reader, 'cafe'))[0]?.passages ?? [];
    expect(passage?.fragment_idx).toBe(1);
    expect(passage?.snippet.filter(({ is_match }) => is_match)).toEqual([
      { text: 'Café', is_match: true },
      { text: 'café', is_match: true },
    ]);
    const text = passage?.snippet.map((part) => part.text).join('') ?? '';
    expect(text).toMatch(/before\. Here the Café opens; a café again\./);
    expect(text.length).toBeLessThan(300);
  });

  test('are the beginning of the text when only the title matches', async () => {
    const reader = await createReader(app);
    await save(reader, { title: 'Zebra', texts: ['Stripes are   black\nand white.'] });
    expect(await search(reader, 'zebra')).toMatchObject([
      {
        passages: [{ snippet: [{ text: 'Stripes are black and white.', is_match: false }], fragment_idx: 0 }],
      },
    ]);
  });

  test('come from the piece of a long text that matches', async () => {
    const reader = await createReader(app);
    const filler = 'nothing to see here '.repeat(3000);
    await save(reader, { title: 'Long', texts: [filler, filler, `${filler} the needle lies here`] });
    const [passage] = (await search(reader, 'needle'))[0]?.passages ?? [];
    expect(passage?.fragment_idx).toBe(2);
    expect(passage?.snippet).toContainEqual({ text: 'needle', is_match: true });
  });

  test('are several of one book, those with most of the words first', async () => {
    const reader = await createReader(app);
    const sea = 'The whale swims in the sea. '.repeat(200);
    const chapters = [sea, `${sea}The whiteness of the whale is pale.`, sea, 'Of whiteness alone.', sea];
    await save(reader, { kind: 'epub', title: 'Whales', texts: chapters });
    const [hit] = await search(reader, 'whiteness whale');
    expect(hit?.passages).toHaveLength(3);
    expect(hit?.passages[0]?.fragment_idx).toBe(1);
    expect(hit?.passages[0]?.snippet.filter(({ is_match }) => is_match).map(({ text }) => text)).toContain(
      'whiteness',
    );
  });

  test('begin with the chapter that has the words in its title', async () => {
    const reader = await createReader(app);
    const filler = 'A whale, and no other. '.repeat(3000);
    await save(reader, {
      kind: 'epub',
      title: 'Whales',
      titles: [null, 'The Whiteness of the Whale', null],
      texts: [`${filler} A whiteness.`, 'It appalled me.', filler],
    });
    const [hit] = await search(reader, 'whiteness whale');
    expect(hit?.passages[0]).toMatchObject({ fragment_idx: 1, fragment_title: 'The Whiteness of the Whale' });
  });

  test('name the right fragment after characters outside the basic plane and composed letters', async () => {
    const reader = await createReader(app);
    const odd = '𝔘𝔫𝔦𝔠𝔬𝔡𝔢 Ångström éééé '.repeat(50).trim();
    await save(reader, { kind: 'epub', title: 'Odd', texts: [odd, '', odd, 'Here is the lamp.', odd] });
    const [hit] = await search(reader, 'lamp');
    expect(hit?.passages).toMatchObject([{ fragment_idx: 3, start: 12 }]);
  });

  test('never contain markup', async () => {
    const reader = await createReader(app);
    await save(reader, { title: 'T', texts: ['<b>bold</b> <script>alert(1)</script> & more'] });
    const [hit] = await search(reader, 'alert');
    expect(hit?.passages[0]?.snippet.map(({ text }) => text).join('')).toBe(
      '<b>bold</b> <script>alert(1)</script> & more',
    );
  });
});

describe('hostile input', () => {
  test.each(['', '   ', '\u00a0'])('"%s" is 400 with a message', async (q) => {
    const reader = await createReader(app);
    const answer = await reader.get(`/api/v1/search?q=${encodeURIComponent(q)}`);
    expect(answer).toMatchObject(failure(400, 'E_INVALID_REQUEST'));
    expect(answer.body.error.message).toBe('q must not be empty.');
  });

  test.each([
    "'; drop table media; --",
    "a'b",
    "a\\'b:*",
    '\\',
    '\\\\:*',
    '"',
    '""',
    '"-"',
    '-',
    '!!!&&|||',
    '<->',
    '½ ⅷ ﬁ',
    '\u202e\u200d\ufeff',
    '😀😀',
    '(?:a+)+$',
    'a'.repeat(500),
    '"a" '.repeat(50),
    '書'.repeat(500),
    '- '.repeat(250),
    '-a '.repeat(50),
    '%',
    '_',
  ])('%s is answered', async (q) => {
    const reader = await createReader(app);
    await save(reader, { title: 'a b', texts: ['aaaa b (?:a+)+$ 書書 😀'] });
    await search(reader, q);
  });

  test('what cannot be a query is 400', async () => {
    const reader = await createReader(app);
    for (const query of [
      '',
      '?q=%00',
      `?q=${'a'.repeat(1001)}`,
      '?q=a&limit=0',
      '?q=a&limit=201',
      '?q=a&kind=x',
      '?q=a&cursor=x',
      '?q=a&q=b',
    ])
      expect((await reader.get(`/api/v1/search${query}`)).status, query).toBe(400);
  });
});

describe('somebody who cannot read a media', () => {
  test('does not find it by text, title or library, even if they could before', async () => {
    const [ana, ben] = [await createReader(app), await createReader(app)];
    const id = await save(ana, { title: 'Confidential plan', texts: ['the secret handshake'] });
    const libraryId = await createLibrary(ana);
    await ana.post(`/libraries/${libraryId}/media`, { media_id: id });
    const found = async () => [
      (await search(ben, 'handshake')).length,
      (await search(ben, 'confidential')).length,
      (await search(ben, 'handshake', `&library_id=${libraryId}`)).length,
    ];
    expect(await found()).toEqual([0, 0, 0]);
    await join(ana, libraryId, ben);
    expect(await found()).toEqual([1, 1, 1]);
    await ana.delete(`/libraries/${libraryId}/members/${ben.id}`);
    expect(await found()).toEqual([0, 0, 0]);
  });

  test('a bare row in a default library gives nothing', async () => {
    const [ana, ben] = [await createReader(app), await createReader(app)];
    const id = await save(ana, { title: 'Bare', texts: ['barely there'] });
    await database.sql`
      insert into library_media (library_id, media_id, is_derived) values (${ben.defaultLibraryId}, ${id}, true)`;
    expect(await search(ben, 'barely')).toEqual([]);
    expect((await ben.get('/media')).body).toMatchObject({ data: [], page: { total: 0 } });
    expect((await ben.get('/media/sites')).body.data).toEqual([]);
  });
});
