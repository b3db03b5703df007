import { describe, expect, test } from 'vitest';
import { failureOf, useExtractors } from '../../../../test/support/extractors.ts';
import { startSite } from '../../../../test/support/internet.ts';
import type { ExtractionFailure } from './extraction.ts';

const ID = 'dQw4w9WgXcQ';
const DETAILS = {
  title: 'On lamps',
  author: 'A Channel',
  shortDescription: 'A film.\nAbout lamps.',
  thumbnail: { thumbnails: [{ url: 'https://i.example/small.jpg' }, { url: 'https://i.example/large.jpg' }] },
};
const EVENTS = [
  { tStartMs: 0, dDurationMs: 8000, segs: [{ utf8: 'The lamp ' }, { utf8: 'was lit' }] },
  { tStartMs: 8000, dDurationMs: 1000 },
  { tStartMs: 8000, dDurationMs: 9000, segs: [{ utf8: 'all\nnight <b>long</b>.' }] },
  { tStartMs: 17_000, dDurationMs: 5000, segs: [{ utf8: 'Nobody came.' }] },
  { tStartMs: 22_000, dDurationMs: 5000, segs: [{ utf8: '\n' }] },
];

type Track = { baseUrl: string; languageCode: string; kind?: string };

interface Answers {
  tracks?: Track[];
  player?: object | string;
  status?: number;
  transcript?: unknown;
  transcriptStatus?: number;
}

let answers: Answers = {};

/** A server that behaves like the part of YouTube that Nexus uses. */
const youtube = await startSite((request, response) => {
  const { tracks = [{ baseUrl: '/api/timedtext?v=x&lang=en', languageCode: 'en' }] } = answers;
  const player = answers.player ?? {
    playabilityStatus: { status: 'OK' },
    videoDetails: DETAILS,
    captions: { playerCaptionsTracklistRenderer: { captionTracks: tracks } },
  };
  const isPlayer = request.url?.startsWith('/youtubei/v1/player');
  const answer = isPlayer ? player : (answers.transcript ?? { events: EVENTS });
  const status = isPlayer ? answers.status : answers.transcriptStatus;
  response.writeHead(status ?? 200).end(typeof answer === 'string' ? answer : JSON.stringify(answer));
});

const extractors = useExtractors({ youtubeOrigin: youtube.url });

function extract(given: Answers = {}) {
  answers = given;
  youtube.requests.length = 0;
  return extractors.video({ videoId: ID });
}

test('a video has a description, and a transcript in segments with times', async () => {
  const { title, metadata, fragments, plain_text } = await extract();
  expect(title).toBe('On lamps');
  expect(metadata).toEqual({
    author: 'A Channel',
    site: 'YouTube',
    language: 'en',
    published: null,
    description: 'A film.\nAbout lamps.',
    word_count: 11,
    reading_minutes: 1,
    cover: 'https://i.example/large.jpg',
  });
  expect(fragments).toEqual([
    {
      idx: 0,
      title: null,
      html_sanitized: '<p>The lamp was lit all night &lt;b&gt;long&lt;/b&gt;.</p>',
      canonical_text: 'The lamp was lit all night <b>long</b>.',
      t_start_ms: 0,
      t_end_ms: 17_000,
      printed_pages: null,
      layout: null,
    },
    {
      idx: 1,
      title: null,
      html_sanitized: '<p>Nobody came.</p>',
      canonical_text: 'Nobody came.',
      t_start_ms: 17_000,
      t_end_ms: 22_000,
      printed_pages: null,
      layout: null,
    },
  ]);
  expect(plain_text).toBe('The lamp was lit all night <b>long</b>.\nNobody came.');
  expect(youtube.requests.map(({ method, url }) => `${method} ${url}`)).toEqual([
    'POST /youtubei/v1/player?prettyPrint=false',
    'GET /api/timedtext?v=x&lang=en&fmt=json3',
  ]);
});

test('speech without sentence ends is split after the maximum time', async () => {
  const events = Array.from({ length: 60 }, (_, index) => ({
    tStartMs: index * 2000,
    dDurationMs: 2000,
    segs: [{ utf8: `word${index}` }],
  }));
  const { fragments } = await extract({ transcript: { events } });
  expect(fragments).toHaveLength(3);
  expect(fragments.map((fragment) => fragment.t_start_ms)).toEqual([0, 40_000, 80_000]);
});

describe('the transcript is', () => {
  const track = (languageCode: string, kind?: string): Track => ({
    baseUrl: `/t/${languageCode}${kind ?? ''}`,
    languageCode,
    ...(kind ? { kind } : {}),
  });

  test.each([
    ['written by people in the spoken language', [track('en'), track('de'), track('de', 'asr')], '/t/de?'],
    ['written by people', [track('fr', 'asr'), track('en')], '/t/en?'],
    ['automatic, if there is no other', [track('en', 'asr')], '/t/enasr?'],
  ])('%s', async (_what, tracks, path) => {
    await extract({ tracks });
    expect(youtube.requests[1]?.url).toBe(`${path}fmt=json3`);
  });
});

describe('a video without a transcript keeps its title and can be played', () => {
  test.each([
    ['there is none', { tracks: [] }],
    ['it is empty', { transcript: { events: [] } }],
    ['its response is empty', { transcript: '' }],
    ['its response is not JSON', { transcript: '<html>' }],
    ['it is refused', { transcriptStatus: 403 }],
    ['it does not exist', { transcriptStatus: 404 }],
    [
      'its times are invalid',
      { transcript: { events: [{ tStartMs: 'x', segs: [{ utf8: 'a' }] }, { segs: 7 }] } },
    ],
  ])('%s', async (_what, given) => {
    const failure = await failureOf(extract(given));
    expect(failure).toMatchObject({ code: 'E_TRANSCRIPT_UNAVAILABLE', isTransient: false });
    expect((failure as ExtractionFailure).known).toMatchObject({
      title: 'On lamps',
      metadata: { author: 'A Channel' },
    });
  });

  test('YouTube requires to sign in', async () => {
    const player = { playabilityStatus: { status: 'LOGIN_REQUIRED' }, videoDetails: DETAILS };
    expect(await failureOf(extract({ player }))).toMatchObject({ code: 'E_TRANSCRIPT_UNAVAILABLE' });
  });
});

test('an unavailable video has its own error code', async () => {
  const player = { playabilityStatus: { status: 'ERROR', reason: 'Video unavailable' } };
  expect(await failureOf(extract({ player }))).toMatchObject({ code: 'E_VIDEO_UNAVAILABLE' });
});

test.each([
  ['an error of the player', { status: 503 }, 'E_SITE_ERROR'],
  ['too many requests', { status: 429 }, 'E_SITE_BUSY'],
  ['an error of the transcript', { transcriptStatus: 500 }, 'E_SITE_ERROR'],
])('%s is transient', async (_what, given, code) => {
  expect(await failureOf(extract(given))).toMatchObject({ code, isTransient: true });
});

test.each([
  'not JSON',
  '[]',
  'null',
  '"x"',
  '{"videoDetails":7,"captions":{"playerCaptionsTracklistRenderer":{"captionTracks":"x"}}}',
])('a player response of %s has no transcript', async (player) => {
  expect(await failureOf(extract({ player }))).toMatchObject({ code: 'E_TRANSCRIPT_UNAVAILABLE' });
  expect(extractors.bugs).toEqual([]);
});
