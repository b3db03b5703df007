import { describe, expect, test } from 'vitest';
import { failure, useApp } from '../../../../test/support/app.ts';
import { useDatabase } from '../../../../test/support/database.ts';
import { createReader, type Reader } from '../../../../test/support/libraries.ts';
import { saveReady } from '../../../../test/support/saved-media.ts';

const database = useDatabase();
const app = useApp(database);

interface Match {
  fragment_idx: number;
  start: number;
  end: number;
}

async function findIn(reader: Reader, texts: string[], q: string, more = ''): Promise<string[]> {
  const id = await saveReady(database.sql, reader, { kind: 'epub', texts });
  const { status, body } = await reader.get(`/media/${id}/matches?q=${encodeURIComponent(q)}${more}`);
  if (status !== 200) throw new Error(`${status} ${JSON.stringify(body)}`);
  return body.data.map(
    ({ fragment_idx, start, end }: Match) => `${fragment_idx}: ${texts[fragment_idx]?.slice(start, end)}`,
  );
}

describe('finding a phrase', () => {
  const texts = ['Call me Ishmael.\nCall ME anything.', 'The café; the CAFÉ.', "It's 𝔘 so. It\u2019s so."];

  test.each([
    ['call me', ['0: Call me', '0: Call ME']],
    ['ISHMAEL', ['0: Ishmael']],
    ['cafe', ['1: café', '1: CAFÉ']],
    ['café', ['1: café', '1: CAFÉ']],
    ["it's", ["2: It's", '2: It\u2019s']],
    ['so.', ['2: so.', '2: so.']],
    ['ishmael.\ncall', []],
    ['.*', []],
    ['hmae', ['0: hmae']],
  ])('%j', async (q, expected) => {
    expect(await findIn(await createReader(app), texts, q)).toEqual(expected);
  });
});

test('finds words with soft hyphens and other invisible characters in them', async () => {
  const reader = await createReader(app);
  const texts = ['An inter\u00adnatio\u00adnal press.', 'می\u200cخواهم'];
  expect(await findIn(reader, texts, 'international press')).toEqual(['0: inter\u00adnatio\u00adnal press']);
  expect(await findIn(reader, texts, 'inter\u00adnational', '&by=words')).toEqual([
    '0: inter\u00adnatio\u00adnal',
  ]);
  expect(await findIn(reader, texts, 'national', '&by=words')).toEqual([]);
  expect(await findIn(reader, texts, 'میخواهم')).toEqual(['1: می\u200cخواهم']);
  expect(await findIn(reader, texts, '\u00ad')).toEqual([]);
});

test('finds each of the words that a search marks', async () => {
  const reader = await createReader(app);
  const texts = ['Fog horns and lamps.', 'A lamp; foggy -not here'];
  expect(await findIn(reader, texts, 'fog lamp -not', '&by=words')).toEqual([
    '0: Fog',
    '0: lamp',
    '1: lamp',
    '1: fog',
  ]);
});

test('pages through all matches of a long book, each once and in order', async () => {
  const reader = await createReader(app);
  const chapter = `${'A whale. Nothing. '.repeat(40_000)}`;
  const id = await saveReady(database.sql, reader, { kind: 'epub', texts: [chapter, 'whale', '', chapter] });
  const seen: Match[] = [];
  let pages = 0;
  for (let cursor = ''; pages < 3; pages++) {
    const { body } = await reader.get(`/media/${id}/matches?q=whale&limit=200${cursor}`);
    seen.push(...body.data);
    cursor = `&cursor=${body.page.next_cursor}`;
  }
  expect(seen.map(({ start }) => start)).toEqual(Array.from({ length: 600 }, (_, n) => 2 + n * 18));
  const later = Buffer.from(JSON.stringify({ fragment_idx: 0, start: 39_999 * 18 })).toString('base64url');
  const { body } = await reader.get(`/media/${id}/matches?q=whale&limit=3&cursor=${later}`);
  expect(body.data.map(({ fragment_idx }: Match) => fragment_idx)).toEqual([0, 1, 3]);
});

test('is for people who can read the media', async () => {
  const owner = await createReader(app);
  const other = await createReader(app);
  const id = await saveReady(database.sql, owner, { texts: ['secret'] });
  expect(await other.get(`/media/${id}/matches?q=secret`)).toMatchObject(failure(404, 'E_MEDIA_NOT_FOUND'));
  expect(await owner.get(`/media/${id}/matches?q=`)).toMatchObject(failure(400, 'E_INVALID_REQUEST'));
  expect(await owner.get(`/media/${id}/matches?q=a&by=sound`)).toMatchObject(
    failure(400, 'E_INVALID_REQUEST'),
  );
});
