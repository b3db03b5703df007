import { canonicalLines } from '../text/canonical-text.ts';
import { escapeText } from '../text/markup.ts';
import { type ExtractedFragment, ExtractionFailure, toFragment } from './extraction.ts';

interface YouTubePlayer {
  title: string | null;
  author: string | null;
  description: string | null;
  cover: string | null;
  /** Whether YouTube reports the video as unavailable for everybody. */
  isGone: boolean;
  transcript: { url: string; language: string } | null;
}

interface Track {
  baseUrl?: string;
  languageCode?: string;
  /** `asr`: automatic speech recognition. */
  kind?: string;
}

/** Reads the description of a video from the player data. */
export function readPlayer(bytes: Uint8Array): YouTubePlayer {
  const player = parseJson(bytes);
  const details = player.videoDetails ?? {};
  const thumbnails = details.thumbnail?.thumbnails;
  const tracks = player.captions?.playerCaptionsTracklistRenderer?.captionTracks;
  return {
    title: text(details.title),
    author: text(details.author),
    description: text(details.shortDescription),
    cover: text(Array.isArray(thumbnails) ? thumbnails.at(-1)?.url : undefined),
    isGone: player.playabilityStatus?.status === 'ERROR',
    transcript: chooseTrack(Array.isArray(tracks) ? tracks : []),
  };
}

/** Chooses a transcript: written by people in the spoken language, else written by people, else automatic. */
function chooseTrack(tracks: Track[]): YouTubePlayer['transcript'] {
  const usable = tracks.filter(({ baseUrl }) => typeof baseUrl === 'string');
  const automatic = usable.find(({ kind }) => kind === 'asr');
  const written = usable.filter(({ kind }) => kind !== 'asr');
  const track =
    written.find(({ languageCode }) => languageCode === automatic?.languageCode) ?? written[0] ?? automatic;
  return track?.baseUrl ? { url: track.baseUrl, language: track.languageCode ?? '' } : null;
}

interface Cue {
  start: number;
  end: number;
  text: string;
}

/** A segment ends at the first end of a sentence after the minimum, and in any case at the maximum. */
const MIN_SEGMENT_MS = 15_000;
const MAX_SEGMENT_MS = 40_000;
const MAX_CUES = 100_000;

/** Combines cues of a few words into segments that are easy to read, each with its time. */
export function readTranscript(bytes: Uint8Array): ExtractedFragment[] {
  const { events } = parseJson(bytes);
  const cues = (Array.isArray(events) ? events : []).slice(0, MAX_CUES).flatMap(cueOf);
  const segments: Cue[] = [];
  for (const cue of cues) {
    const last = segments.at(-1);
    const length = last ? cue.end - last.start : 0;
    const endsHere = last && length > MIN_SEGMENT_MS && /[.!?…。！？]["'”’)]*$/.test(last.text);
    if (!last || endsHere || length > MAX_SEGMENT_MS) segments.push({ ...cue });
    else Object.assign(last, { end: cue.end, text: `${last.text} ${cue.text}` });
  }
  return segments.map(({ text: spoken, start, end }, idx) =>
    toFragment(idx, `<p>${escapeText(spoken)}</p>`, { t_start_ms: start, t_end_ms: end }),
  );
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

// biome-ignore lint/suspicious/noExplicitAny: the response of an external site; every use checks the type
function parseJson(bytes: Uint8Array): any {
  try {
    const value = JSON.parse(new TextDecoder().decode(bytes));
    if (typeof value === 'object' && value !== null) return value;
  } catch {
    // Invalid JSON gets the same error as JSON that is not an object.
  }
  throw new ExtractionFailure(
    'E_TRANSCRIPT_UNAVAILABLE',
    'YouTube sent a response that Nexus does not understand.',
  );
}
