import { canonicalLines, canonicalText } from '../text/canonical-text.ts';
import { escapeText } from '../text/markup.ts';
import { ExtractionFailure, type Fragment } from './extraction.ts';

export interface YouTubePlayer {
  title: string | null;
  author: string | null;
  description: string | null;
  cover: string | null;
  /** Whether the video is gone for everybody. */
  isGone: boolean;
  transcript: { url: string; language: string } | null;
}

interface Track {
  baseUrl?: string;
  languageCode?: string;
  /** `asr`: written by a machine that listened. */
  kind?: string;
}

/** What the player is told about a video before it plays it. */
export function readPlayer(bytes: Uint8Array): YouTubePlayer {
  const answer = parseJson(bytes);
  const details = answer.videoDetails ?? {};
  const thumbnails = details.thumbnail?.thumbnails;
  const tracks = answer.captions?.playerCaptionsTracklistRenderer?.captionTracks;
  return {
    title: text(details.title),
    author: text(details.author),
    description: text(details.shortDescription),
    cover: text(Array.isArray(thumbnails) ? thumbnails.at(-1)?.url : undefined),
    isGone: answer.playabilityStatus?.status === 'ERROR',
    transcript: chooseTrack(Array.isArray(tracks) ? tracks : []),
  };
}

/** What people wrote in the language that is spoken, else what people wrote, else what the machine heard. */
function chooseTrack(tracks: Track[]): YouTubePlayer['transcript'] {
  const usable = tracks.filter(({ baseUrl }) => typeof baseUrl === 'string');
  const heard = usable.find(({ kind }) => kind === 'asr');
  const written = usable.filter(({ kind }) => kind !== 'asr');
  const track =
    written.find(({ languageCode }) => languageCode === heard?.languageCode) ?? written[0] ?? heard;
  return track?.baseUrl ? { url: track.baseUrl, language: track.languageCode ?? '' } : null;
}

interface Cue {
  start: number;
  end: number;
  text: string;
}

/** A segment ends with a sentence after this time, and anywhere after the other. */
const SHORTEST_SEGMENT_MS = 15_000;
const LONGEST_SEGMENT_MS = 40_000;
const MOST_CUES = 100_000;

/** Cues of a few words each become segments that can be read, each with its time. */
export function readTranscript(bytes: Uint8Array): Fragment[] {
  const { events } = parseJson(bytes);
  const cues = (Array.isArray(events) ? events : []).slice(0, MOST_CUES).flatMap(cueOf);
  const segments: Cue[] = [];
  for (const cue of cues) {
    const last = segments.at(-1);
    const length = last ? cue.end - last.start : 0;
    const endsHere = last && length > SHORTEST_SEGMENT_MS && /[.!?…。！？]["'”’)]*$/.test(last.text);
    if (!last || endsHere || length > LONGEST_SEGMENT_MS) segments.push({ ...cue });
    else Object.assign(last, { end: cue.end, text: `${last.text} ${cue.text}` });
  }
  return segments.map((segment, idx) => {
    const html = `<p>${escapeText(segment.text)}</p>`;
    return {
      idx,
      title: null,
      html_sanitized: html,
      canonical_text: canonicalText(html),
      t_start_ms: segment.start,
      t_end_ms: segment.end,
    };
  });
}

function cueOf(event: { tStartMs?: unknown; dDurationMs?: unknown; segs?: unknown }): Cue[] {
  const start = Number(event.tStartMs);
  const words = Array.isArray(event.segs)
    ? event.segs.map(({ utf8 }) => (typeof utf8 === 'string' ? utf8 : ''))
    : [];
  const spoken = canonicalLines(words.join('').replaceAll('\n', ' '));
  if (!Number.isSafeInteger(start) || start < 0 || spoken === '') return [];
  const duration = Number(event.dDurationMs);
  return [
    { start, end: start + (Number.isSafeInteger(duration) && duration > 0 ? duration : 0), text: spoken },
  ];
}

function text(value: unknown): string | null {
  return (typeof value === 'string' && canonicalLines(value).slice(0, 5000)) || null;
}

// biome-ignore lint/suspicious/noExplicitAny: it comes from elsewhere, and every use looks at what it is
function parseJson(bytes: Uint8Array): any {
  try {
    const value = JSON.parse(new TextDecoder().decode(bytes));
    if (typeof value === 'object' && value !== null) return value;
  } catch {
    // Falls through: what is no JSON is no answer either.
  }
  throw new ExtractionFailure(
    'E_TRANSCRIPT_UNAVAILABLE',
    'YouTube answered with something that Nexus does not know.',
  );
}
