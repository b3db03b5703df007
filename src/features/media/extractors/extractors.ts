import { FAILURES, Failure, type FailureCode } from '../../../contract/errors.ts';
import type { Egress } from '../../../platform/egress/egress.ts';
import { fromStatus } from '../../../platform/egress/errors.ts';
import { moduleBeside } from '../../../platform/processes/module-beside.ts';
import { createProcessPool } from '../../../platform/processes/pool.ts';
import { TaskFailed, type TaskTrouble } from '../../../platform/processes/stopped.ts';
import { type Extraction, ExtractionFailure, plainText } from './extraction.ts';
import type { PdfExtraction } from './pdf.ts';
import type { WebArticleExtraction } from './web-article.ts';
import { countWords, readingMinutes } from './words.ts';
import type { extractionWork } from './work.ts';

export interface ExtractorOptions {
  egress: Egress;
  /** The most processes. */
  processes?: number;
  timeoutMs?: number;
  memoryMb?: number;
  /** The origin of YouTube. Tests replace it. */
  youtubeOrigin?: string;
  /** Called with unexpected errors of libraries. They are shown to operators, not to readers. */
  onBug?: (error: Error) => void;
}

interface Wanted {
  signal?: AbortSignal | undefined;
}

/** A page, or the PDF that was found instead of a page. */
export type WebResult =
  | { kind: 'web_article'; url: string; extraction: WebArticleExtraction }
  | { kind: 'pdf'; url: string; file: Buffer; extraction: PdfExtraction };

export interface Extractors {
  /** Fetches a page. `imagePath` is the path prefix of images, followed by the encoded URL. */
  webArticle(source: { url: string; imagePath: string } & Wanted): Promise<WebResult>;
  pdf(source: { bytes: Uint8Array } & Wanted): Promise<PdfExtraction>;
  /** `assetPath` is the path prefix of assets. */
  epub(source: { bytes: Uint8Array; assetPath: string } & Wanted): Promise<Extraction>;
  video(source: { videoId: string } & Wanted): Promise<Extraction>;
  /** Returns the canonical text of each HTML. */
  canonicalTexts(source: { html: string[] } & Wanted): Promise<string[]>;
  close(): Promise<void>;
}

const LARGEST_PAGE = 10 * 1024 * 1024;
const LARGEST_PDF = 100 * 1024 * 1024;
const LARGEST_ANSWER = 5 * 1024 * 1024;
/** A book's images may take 256 MB; the rest is for its HTML and texts. */
const LARGEST_RESULT_MB = 400;

/**
 * Runs extractions in processes that are killed when they exceed their limits, so that a hostile document harms only
 * itself.
 */
export function createExtractors(options: ExtractorOptions): Extractors {
  const { egress, processes = 2, timeoutMs = 30_000, memoryMb = 1024, onBug = () => {} } = options;
  const { youtubeOrigin = 'https://www.youtube.com' } = options;
  const { run, close } = createProcessPool<typeof extractionWork>({
    entry: moduleBeside(import.meta.url, 'worker'),
    size: processes,
    timeoutMs,
    memoryMb,
    resultMb: LARGEST_RESULT_MB,
    explain: (trouble, error) => toFailure(trouble, error, onBug),
  });

  return {
    async webArticle({ url, imagePath, signal }) {
      const answer = await fetchDocument(egress, url, signal);
      const contentType = answer.headers['content-type'];
      if (isPdf(answer.bytes)) {
        const extraction = await run('pdf', { bytes: answer.bytes }, { signal });
        return { kind: 'pdf', url: answer.url, file: answer.bytes, extraction };
      }
      refuseOther(contentType);
      const task = { bytes: answer.bytes, contentType, url: answer.url, imagePath };
      return { kind: 'web_article', url: answer.url, extraction: await run('web_article', task, { signal }) };
    },
    pdf: ({ bytes, signal }) => run('pdf', { bytes }, { signal }),
    epub: ({ bytes, assetPath, signal }) => run('epub', { bytes, assetPath }, { signal }),

    async video({ videoId, signal }) {
      const player = await fetchPlayer(egress, youtubeOrigin, videoId, signal);
      const { isGone, transcript, ...video } = await run('youtube_player', player, { signal });
      const { title, author, description, cover } = video;
      const known = { title, metadata: { author, description, cover, site: 'YouTube' } };
      if (isGone) {
        throw new ExtractionFailure(
          'E_VIDEO_UNAVAILABLE',
          'The video was removed from YouTube, or is private.',
          { known },
        );
      }
      if (!transcript) throw new ExtractionFailure('E_TRANSCRIPT_UNAVAILABLE', NO_TRANSCRIPT, { known });
      const fragments = await fetchTranscript(egress, youtubeOrigin, transcript.url, signal)
        .then((bytes) => run('youtube_transcript', bytes, { signal }))
        .catch((error) => {
          // A transient failure is retried later; any other means that there is no transcript.
          if (!(error instanceof Failure) || error.isTransient) throw error;
          throw new ExtractionFailure('E_TRANSCRIPT_UNAVAILABLE', NO_TRANSCRIPT, { known, cause: error });
        });
      if (fragments.length === 0)
        throw new ExtractionFailure('E_TRANSCRIPT_UNAVAILABLE', NO_TRANSCRIPT, { known });
      const text = plainText(fragments);
      const words = countWords(text);
      return {
        title,
        metadata: {
          ...known.metadata,
          language: transcript.language || null,
          published: null,
          word_count: words,
          reading_minutes: readingMinutes(words),
        },
        fragments,
        plain_text: text,
        outline: [],
        assets: [],
      };
    },
    canonicalTexts: ({ html, signal }) => run('canonical_texts', html, { signal }),
    close,
  };
}

const NO_TRANSCRIPT = 'YouTube has no transcript of this video. It can be played, but not read.';

/** Fetches a page or a PDF. A PDF may be ten times as large; the first bytes tell which it is. */
async function fetchDocument(egress: Egress, url: string, signal: AbortSignal | undefined) {
  const { body, ...answer } = await egress.request(url, {
    signal,
    headers: { accept: 'text/html,application/xhtml+xml,application/pdf;q=0.9,*/*;q=0.5' },
    limits: { bodyBytes: LARGEST_PDF },
  });
  if (answer.status < 200 || answer.status > 299) {
    body.destroy();
    throw fromStatus(answer.status, answer.headers, answer.url);
  }
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of body as AsyncIterable<Buffer>) {
    chunks.push(chunk);
    size += chunk.length;
    if (size > LARGEST_PAGE && !isPdf(chunks[0] ?? chunk)) {
      throw new ExtractionFailure(
        'E_RESPONSE_TOO_LARGE',
        'The page is larger than the 10 MB that Nexus reads.',
      );
    }
  }
  return { ...answer, bytes: Buffer.concat(chunks) };
}

/** As the mobile application asks: the answer names the transcripts without a proof that a browser is asking. */
async function fetchPlayer(egress: Egress, origin: string, videoId: string, signal: AbortSignal | undefined) {
  const { bytes } = await egress.fetchBytes(`${origin}/youtubei/v1/player?prettyPrint=false`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({
      videoId,
      context: { client: { clientName: 'ANDROID', clientVersion: '20.10.38', hl: 'en' } },
    }),
    limits: { bodyBytes: LARGEST_ANSWER },
    signal,
  });
  return bytes;
}

async function fetchTranscript(
  egress: Egress,
  origin: string,
  address: string,
  signal: AbortSignal | undefined,
) {
  const url = new URL(address, origin);
  url.searchParams.set('fmt', 'json3');
  const { bytes } = await egress.fetchBytes(url.href, { limits: { bodyBytes: LARGEST_ANSWER }, signal });
  return bytes;
}

export function isPdf(bytes: Uint8Array): boolean {
  return Buffer.from(bytes.subarray(0, 1024)).includes('%PDF-');
}

/** A server that sends no content type mostly sends a page. */
function refuseOther(contentType = 'text/html'): void {
  const [type = ''] = contentType.toLowerCase().split(';');
  if (/^\s*(text\/(html|plain|xml)|application\/(xhtml\+xml|xml|octet-stream))?\s*$/.test(type)) return;
  throw new ExtractionFailure(
    'E_UNSUPPORTED_CONTENT',
    `What lies there is ${type.trim()}, neither a page nor a PDF. Nexus reads only these.`,
  );
}

const TROUBLE = {
  timeout: ['E_EXTRACTION_TIMEOUT', 'The document takes too long to read.'],
  memory: ['E_EXTRACTION_MEMORY', 'The document takes too much memory to read.'],
  output: ['E_EXTRACTION_TOO_LARGE', 'The document holds more text and images than Nexus keeps.'],
  failed: ['E_EXTRACTION_FAILED', 'Nexus could not make sense of this document.'],
} as const;

/** A failure that a person can act on. Unexpected errors are reported to operators. */
function toFailure(trouble: TaskTrouble, error: Error, onBug: (error: Error) => void): ExtractionFailure {
  if (error instanceof TaskFailed && error.code !== undefined && error.code in FAILURES) {
    return new ExtractionFailure(error.code as FailureCode, error.message, { cause: error });
  }
  if (trouble === 'failed') onBug(error);
  const [code, message] = TROUBLE[trouble];
  return new ExtractionFailure(code, message, { cause: error });
}
