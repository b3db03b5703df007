import { describe, expect, onTestFinished, test } from 'vitest';
import { extractEntities, LONGEST_TEXT } from './entities.ts';
import { createProjector } from './projector.ts';
import { linksOf } from './work.ts';

const TEXT = [
  'Ada Lovelace worked with Charles Babbage in London. The Analytical Engine was described by Luigi Menabrea.',
  "Lovelace's notes were published in August. Visitors came to London from the University of Cambridge.",
  'Write to ada@example.org, or follow #Computing and #computing; C# is none, nor is issue #42.',
].join('\n');

const named = (text: string, language: string | null = 'en') =>
  extractEntities(text, language).map(({ name, mentions }) => [name, mentions]);

describe('entities', () => {
  test('are names, hashtags and addresses, most frequent first', () => {
    expect(extractEntities(TEXT, 'en-GB')).toEqual([
      { kind: 'hashtag', entity: '#computing', name: '#Computing', mentions: 2 },
      { kind: 'name', entity: 'london', name: 'London', mentions: 2 },
      { kind: 'email', entity: 'ada@example.org', name: 'ada@example.org', mentions: 1 },
      { kind: 'name', entity: 'ada lovelace', name: 'Ada Lovelace', mentions: 1 },
      { kind: 'name', entity: 'analytical engine', name: 'Analytical Engine', mentions: 1 },
      { kind: 'name', entity: 'charles babbage', name: 'Charles Babbage', mentions: 1 },
      { kind: 'name', entity: 'luigi menabrea', name: 'Luigi Menabrea', mentions: 1 },
      { kind: 'name', entity: 'university of cambridge', name: 'University of Cambridge', mentions: 1 },
    ]);
  });

  test('a word that only starts sentences is no name; one that also occurs elsewhere is', () => {
    expect(named('Paris fell. They left Paris.')).toEqual([['Paris', 2]]);
    expect(named('Contact us. Contact them.')).toEqual([]);
  });

  test('in unknown languages are runs of capitalised words within a sentence', () => {
    expect(named('Damals traf Angela Merkel in Berlin den Chef der Deutschen Bahn AG.', 'de')).toEqual([
      ['Angela Merkel', 1],
      ['Deutschen Bahn AG', 1],
    ]);
    expect(named('Das Haus steht. Der Hund bellt.', 'de')).toEqual([]);
  });

  test.each([
    ['nothing', ''],
    ['one word', 'word'],
    ['emoji', '😀👩‍🚀🎉'],
    ['right to left', 'שלום עולם مرحبا'],
    ['half a name', 'Dr. '],
  ])('of %s are none', (_what, text) => {
    expect(extractEntities(text, null)).toEqual([]);
  });

  test('of a long text are those of its beginning, up to a limit', () => {
    const names = Array.from({ length: 500 }, (_, n) => `we met Anna ${'ABCDEFGHIJ'[n % 10]}x${n} there`);
    expect(extractEntities(names.join('\n'), 'de').length).toBeLessThanOrEqual(200);
    const text = `${'x '.repeat(LONGEST_TEXT / 2)}and then Ada Lovelace came`;
    expect(extractEntities(text, 'en')).toEqual([]);
  });

  test('are deterministic, also in another process', async () => {
    const here = extractEntities(TEXT, 'en');
    expect(extractEntities(TEXT, 'en')).toEqual(here);
    const projector = createProjector();
    onTestFinished(projector.close);
    const [there] = await projector.project([{ text: TEXT, language: 'en', html: [] }]);
    expect(there?.entities).toEqual(here);
  });
});

test('links are canonical addresses, each once', () => {
  const html = [
    '<p><a href="https://Example.org/a?utm_source=x#top">a</a> <a href="https://example.org/a">again</a></p>',
    '<a href="https://youtu.be/abcdefghijk">video</a><a href="mailto:x@example.org">mail</a><a>none</a>',
    '<a href="https://user:pw@example.org/">secret</a><a href="https://www.youtube.com/watch?v=short">no video</a>',
  ];
  expect(linksOf(html)).toEqual([
    'https://example.org/a',
    'https://www.youtube.com/watch?v=abcdefghijk',
    'https://www.youtube.com/watch?v=short',
  ]);
});
