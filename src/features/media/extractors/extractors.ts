import { FAILURES, Failure, type FailureCode } from '../../../contract/errors.ts';
import type { Egress } from '../../../platform/egress/egress.ts';
import { fromStatus } from '../../../platform/egress/errors.ts';
import { createProcessPool, type PoolOptions, siblingModule } from '../../../platform/processes/pool.ts';
import { type FailureCause, TaskFailed } from '../../../platform/processes/stopped.ts';
import { type Extraction, ExtractionFailure, languageTag, toExtraction } from './extraction.ts';
import type { extractionWork } from './extractor-worker.ts';
import type { ImageTask } from './thumbnail.ts';

export interface ExtractorOptions {
  egress: Egress;
  /** The maximum number of processes. */
  processes?: number;
  timeoutMs?: number;
  memoryMb?: number;
  /** The origin of YouTube, which tests replace. */
  youtubeOrigin?: string;
  /** Called with unexpected errors of the parsers, for the log. Readers do not see them. */
  onBug?: (error: Error) => void;
  metrics?: PoolOptions['metrics'];
}

/** The input of an extraction, and the signal that aborts it. */
type Source<T> = T & { signal?: AbortSignal | undefined };

export type Extractors = ReturnType<typeof createExtractors>;

const MAX_PAGE_BYTES = 10 * 1024 * 1024;
const MAX_PDF_BYTES = 100 * 1024 * 1024;
const MAX_YOUTUBE_BYTES = 5 * 1024 * 1024;
/** The images of a book may have 256 MB; the rest is for its HTML and texts. */
const MAX_RESULT_MB = 400;

/** Runs extractions in processes that are killed when they exceed limits of time or memory (hostile documents). */
export function createExtractors(options: ExtractorOptions) {
  const { egress, processes = 2, timeoutMs = 30_000, memoryMb = 1024, onBug = () => {} } = options;
  const { youtubeOrigin = 'https://www.youtube.com' } = options;
  const pool = createProcessPool<typeof extractionWork>({
    entry: siblingModule(import.meta.url, 'extractor-worker'),
    size: processes,
    timeoutMs,
    memoryMb,
    resultMb: MAX_RESULT_MB,
    explain: (cause, error) => toFailure(cause, error, onBug),
    metrics: options.metrics,
  });
  const { run } = pool;

  return {
    /**
     * Fetches a page and extracts its article, or the PDF at its address. `imagePath` is the URL prefix of images on other
     * sites, `assetPath` that of the drawings in the page itself.
     */
    async webArticle({
      url,
      signal,
      ...paths
    }: Source<{ url: string; imagePath: string; assetPath: string }>) {
      const answer = await fetchDocument(egress, url, signal);
      const contentType = answer.headers['content-type'];
      if (isPdf(answer.bytes)) {
        const extraction = await run('pdf', { bytes: answer.bytes }, { signal });
        return { kind: 'pdf' as const, url: answer.url, file: answer.bytes, extraction };
      }
      refuseOtherTypes(contentType);
      const task = { bytes: answer.bytes, contentType, url: answer.url, ...paths };
      const extraction = await run('web_article', task, { signal });
      return { kind: 'web_article' as const, url: answer.url, extraction };
    },
    pdf: ({ bytes, signal }: Source<{ bytes: Uint8Array }>) => run('pdf', { bytes }, { signal }),
    /** `assetPath` is the URL prefix of assets. */
    epub: ({ signal, ...task }: Source<{ bytes: Uint8Array; assetPath: string }>) =>
      run('epub', task, { signal }),

    async video({ videoId, signal }: Source<{ videoId: string }>): Promise<Extraction> {
      const player = await fetchPlayer(egress, youtubeOrigin, videoId, signal);
      const { isGone, transcript, ...video } = await run('youtube_player', player, { signal });
      const { title, author, description, cover } = video;
      const known = { title, metadata: { author, description, cover, site: 'YouTube' } };
      if (isGone) throw new ExtractionFailure('E_VIDEO_UNAVAILABLE', GONE, { known });
      if (!transcript) throw new ExtractionFailure('E_TRANSCRIPT_UNAVAILABLE', NO_TRANSCRIPT, { known });
      const fragments = await fetchTranscript(egress, youtubeOrigin, transcript.url, signal)
        .then((bytes) => run('youtube_transcript', bytes, { signal }))
        .catch((error) => {
          // Transient failures are retried. Other failures mean that there is no transcript.
          if (!(error instanceof Failure) || error.isTransient) throw error;
          throw new ExtractionFailure('E_TRANSCRIPT_UNAVAILABLE', NO_TRANSCRIPT, { known, cause: error });
        });
      if (fragments.length === 0)
        throw new ExtractionFailure('E_TRANSCRIPT_UNAVAILABLE', NO_TRANSCRIPT, { known });
      const metadata = { ...known.metadata, language: languageTag(transcript.language) };
      return toExtraction({ title, metadata, fragments });
    },

    /** Returns the thumbnails of an image, or of the first page of a PDF. Null when there are none to be made. */
    thumbnails: ({ signal, ...task }: Source<ImageTask>) =>
      run(task.content_type === 'application/pdf' ? 'pdf_thumbnails' : 'image_thumbnails', task, { signal }),
    /** Returns the canonical text of each HTML. */
    canonicalTexts: ({ html, signal }: Source<{ html: string[] }>) =>
      run('canonical_texts', html, { signal }),
    usage: pool.usage,
    close: pool.close,
  };
}

const GONE = 'This video was removed from YouTube or is private.';
const NO_TRANSCRIPT = 'This video has no transcript on YouTube. You can play it, but not read it.';

/** Fetches a page or a PDF. A PDF, recognised by its first bytes, may be ten times as large as a page. */
async function fetchDocument(egress: Egress, url: string, signal: AbortSignal | undefined) {
  const { body, ...answer } = await egress.request(url, {
    signal,
    headers: { accept: 'text/html,application/xhtml+xml,application/pdf;q=0.9,*/*;q=0.5' },
    limits: { bodyBytes: MAX_PDF_BYTES },
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
    if (size > MAX_PAGE_BYTES && !isPdf(chunks[0] ?? chunk)) {
      throw new ExtractionFailure(
        'E_RESPONSE_TOO_LARGE',
        'The page is larger than 10 MB, the limit of Nexus.',
      );
    }
  }
  return { ...answer, bytes: Buffer.concat(chunks) };
}

/** Requests the player data like the mobile app: the response contains the transcripts without a browser's token. */
async function fetchPlayer(egress: Egress, origin: string, videoId: string, signal: AbortSignal | undefined) {
  const { bytes } = await egress.fetchBytes(`${origin}/youtubei/v1/player?prettyPrint=false`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({
      videoId,
      context: { client: { clientName: 'ANDROID', clientVersion: '20.10.38', hl: 'en' } },
    }),
    limits: { bodyBytes: MAX_YOUTUBE_BYTES },
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
  const { bytes } = await egress.fetchBytes(url.href, { limits: { bodyBytes: MAX_YOUTUBE_BYTES }, signal });
  return bytes;
}

function isPdf(bytes: Uint8Array): boolean {
  return Buffer.from(bytes.subarray(0, 1024)).includes('%PDF-');
}

/** Throws when the content is not a page. A missing content type counts as HTML. */
function refuseOtherTypes(contentType = 'text/html'): void {
  const [type = ''] = contentType.toLowerCase().split(';');
  if (/^\s*(text\/(html|plain|xml)|application\/(xhtml\+xml|xml|octet-stream))?\s*$/.test(type)) return;
  throw new ExtractionFailure(
    'E_UNSUPPORTED_CONTENT',
    `This address leads to a file of type ${type.trim()}. Nexus can save only pages and PDFs from an address.`,
  );
}

const FAILURE_OF_CAUSE = {
  timeout: ['E_EXTRACTION_TIMEOUT', 'This document takes too long to process.'],
  memory: ['E_EXTRACTION_MEMORY', 'This document needs too much memory to process.'],
  output: ['E_EXTRACTION_TOO_LARGE', 'This document contains more text and images than Nexus can store.'],
  failed: ['E_EXTRACTION_FAILED', 'Nexus could not read this document.'],
} as const;

/** Converts the error of a task to a failure that a reader understands. Unexpected errors go to the log. */
function toFailure(cause: FailureCause, error: Error, onBug: (error: Error) => void): ExtractionFailure {
  if (error instanceof TaskFailed && error.code !== undefined && error.code in FAILURES) {
    return new ExtractionFailure(error.code as FailureCode, error.message, { cause: error });
  }
  if (cause === 'failed') onBug(error);
  const [code, message] = FAILURE_OF_CAUSE[cause];
  return new ExtractionFailure(code, message, { cause: error });
}
