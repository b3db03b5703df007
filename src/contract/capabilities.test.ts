import { describe, expect, test } from 'vitest';
import { type CapabilityFacts, capabilitiesOf } from './capabilities.ts';

const facts = (over: Partial<CapabilityFacts>): CapabilityFacts => ({
  kind: 'web_article',
  processing_status: 'ready',
  failure_stage: null,
  last_error_code: null,
  has_file: false,
  has_text: true,
  external_playback_url: null,
  ...over,
});

/** The capabilities that are true, without the prefix `can_`. */
const can = (over: Partial<CapabilityFacts>) =>
  Object.entries(capabilitiesOf(facts(over)))
    .filter(([, value]) => value)
    .map(([name]) => name.slice(4));

const TEXT = ['read', 'highlight', 'quote', 'search'];
const URL = 'https://www.youtube.com/watch?v=dQw4w9WgXcQ';

describe('an article', () => {
  test.each(['ready_for_reading', 'embedding', 'ready'] as const)('%s can be read', (processing_status) => {
    expect(can({ processing_status })).toEqual(TEXT);
  });

  test.each(['pending', 'extracting', 'failed'] as const)('%s cannot be read', (processing_status) => {
    expect(can({ processing_status })).toEqual([]);
  });

  test('that failed while it was indexed can still be read', () => {
    expect(can({ processing_status: 'failed', failure_stage: 'embed' })).toEqual(TEXT);
    expect(can({ processing_status: 'failed', failure_stage: 'extract' })).toEqual([]);
  });
});

describe('a PDF', () => {
  test('can be read once its file is stored, and searched once its text is extracted', () => {
    const pdf = { kind: 'pdf', has_file: true } as const;
    expect(can({ ...pdf, processing_status: 'pending' })).toEqual(['read', 'highlight', 'download_file']);
    expect(can({ ...pdf, processing_status: 'failed', failure_stage: 'extract' })).toEqual([
      'read',
      'highlight',
      'download_file',
    ]);
    expect(can(pdf)).toEqual([...TEXT, 'download_file']);
    expect(can({ ...pdf, has_text: false })).toEqual(['read', 'highlight', 'download_file']);
    expect(can({ kind: 'pdf', has_file: false, processing_status: 'pending' })).toEqual([]);
  });
});

test('an EPUB can be read once it is extracted', () => {
  expect(can({ kind: 'epub', has_file: true, processing_status: 'pending' })).toEqual(['download_file']);
  expect(can({ kind: 'epub', has_file: true })).toEqual([...TEXT, 'download_file']);
});

describe('a video', () => {
  const video = { kind: 'video', external_playback_url: URL } as const;
  test('can be played and read', () => expect(can(video)).toEqual([...TEXT, 'play']));
  test('without a transcript can only be played', () => {
    expect(
      can({ ...video, processing_status: 'failed', last_error_code: 'E_TRANSCRIPT_UNAVAILABLE' }),
    ).toEqual(['play']);
  });
  test('that is unavailable, still processing, or has no playback URL cannot be played', () => {
    expect(can({ ...video, processing_status: 'failed', last_error_code: 'E_VIDEO_UNAVAILABLE' })).toEqual(
      [],
    );
    expect(can({ ...video, processing_status: 'pending' })).toEqual([]);
    expect(can({ ...video, external_playback_url: null })).toEqual(TEXT);
  });
});
