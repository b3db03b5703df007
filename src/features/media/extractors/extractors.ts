import { FAILURES, Failure, type FailureCode } from '../../../contract/errors.ts';
import type { Egress } from '../../../platform/egress/egress.ts';
import { fromStatus } from '../../../platform/egress/errors.ts';
import {
  createThreadPool,
  type RunOptions,
  TaskFailed,
  ThreadStopped,
} from '../../../platform/threads/pool.ts';
import { type Extraction, ExtractionFailure, plainText } from './extraction.ts';
import type { PdfExtraction } from './pdf.ts';
import type { WebArticleExtraction } from './web-article.ts';
import { countWords, readingMinutes } from './words.ts';
import type { Result, Task, Work } from './worker.ts';

export interface ExtractorOptions {
  egress: Egress;
  /** Threads at most. */
  threads?: number;
  timeoutMs?: number;
  memoryMb?: number;
  /** Where YouTube is. Tests play it. */
  youtubeOrigin?: string;
  /** What a library threw that no code covers: told to operators, not to readers. */
  onBug?: (error: Error) => void;
}

interface Wanted {
  signal?: AbortSignal | undefined;
}

/** A page, or the PDF that lay where a page was expected. */
export type WebResult =
  | { kind: 'web_article'; url: string; extraction: WebArticleExtraction }
  | { kind: 'pdf'; url: string; file: Buffer; extraction: PdfExtraction };

export interface Extractors {
  /** Fetches a page. `imagePath` is what stands before the encoded address of an image, as readers get it. */
  webArticle(source: { url: string; imagePath: string } & Wanted): Promise<WebResult>;
  /** The bytes are moved: the caller's are empty afterwards. */
  pdf(source: { bytes: Uint8Array } & Wanted): Promise<PdfExtraction>;
  /** The bytes are moved. `assetPath` is what stands before the name of an asset, as readers get it. */
  epub(source: { bytes: Uint8Array; assetPath: string } & Wanted): Promise<Extraction>;
  video(source: { videoId: string } & Wanted): Promise<Extraction>;
  /** What the text of each should be. */
  canonicalTexts(source: { html: string[] } & Wanted): Promise<string[]>;
  close(): Promise<void>;
}

const LARGEST_PAGE = 10 * 1024 * 1024;
const LARGEST_PDF = 100 * 1024 * 1024;
const LARGEST_ANSWER = 5 * 1024 * 1024;

/** Every document is taken apart in a thread of its own, so that a hostile one harms nobody but itself. */
export function createExtractors(options: ExtractorOptions): Extractors {
  const { egress, threads = 2, timeoutMs = 30_000, memoryMb = 512, onBug = () => {} } = options;
  const { youtubeOrigin = 'https://www.youtube.com' } = options;
  const pool = createThreadPool<Task, Result>({ entry: workerEntry(), size: threads, timeoutMs, memoryMb });

  async function run<Type extends keyof Work>(
    task: Work[Type]['task'] & { type: Type },
    signal: AbortSignal | undefined,
  ): Promise<Work[Type]['result']> {
    const transfer = 'bytes' in task ? [task.bytes.buffer as ArrayBuffer] : [];
    const runOptions: RunOptions = { signal, transfer };
    try {
      return await pool.run(task, runOptions);
    } catch (error) {
      throw signal?.aborted ? signal.reason : inWords(error, onBug);
    }
  }

  return {
    async webArticle({ url, imagePath, signal }) {
      const answer = await fetchDocument(egress, url, signal);
      const contentType = answer.headers['content-type'];
      if (isPdf(answer.bytes)) {
        // A copy: the original stays, to be stored.
        const extraction = await run({ type: 'pdf', bytes: new Uint8Array(answer.bytes) }, signal);
        return { kind: 'pdf', url: answer.url, file: answer.bytes, extraction };
      }
      refuseOther(contentType);
      const task = {
        type: 'web_article',
        bytes: ownBytes(answer.bytes),
        contentType,
        url: answer.url,
        imagePath,
      } as const;
      return { kind: 'web_article', url: answer.url, extraction: await run(task, signal) };
    },
    pdf: ({ bytes, signal }) => run({ type: 'pdf', bytes: ownBytes(bytes) }, signal),
    epub: ({ bytes, assetPath, signal }) => run({ type: 'epub', bytes: ownBytes(bytes), assetPath }, signal),

    async video({ videoId, signal }) {
      const player = await fetchPlayer(egress, youtubeOrigin, videoId, signal);
      const { isGone, transcript, ...video } = await run({ type: 'youtube_player', bytes: player }, signal);
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
        .then((bytes) => run({ type: 'youtube_transcript', bytes }, signal))
        .catch((error) => {
          // What may work later is tried later; the rest means that there is none.
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
    canonicalTexts: ({ html, signal }) => run({ type: 'canonical_texts', html }, signal),
    close: () => pool.close(),
  };
}

const NO_TRANSCRIPT = 'YouTube has no transcript of this video. It can be played, but not read.';

/** A page, or a PDF, which may be ten times as large: what it is shows in its first bytes. */
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
  return ownBytes(bytes);
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
  return ownBytes(bytes);
}

/** Beside this module, and in the language it is in itself: TypeScript as written, JavaScript as built. */
function workerEntry(): URL {
  return new URL(import.meta.url.endsWith('.ts') ? './worker.ts' : './worker.js', import.meta.url);
}

/** Small buffers share memory with others, which must not move to the thread with them. */
function ownBytes(bytes: Uint8Array): Uint8Array {
  return bytes.byteLength === bytes.buffer.byteLength ? bytes : new Uint8Array(bytes);
}

export function isPdf(bytes: Uint8Array): boolean {
  return Buffer.from(bytes.subarray(0, 1024)).includes('%PDF-');
}

/** Servers that do not say what they send mostly send pages. */
function refuseOther(contentType = 'text/html'): void {
  const [type = ''] = contentType.toLowerCase().split(';');
  if (/^\s*(text\/(html|plain|xml)|application\/(xhtml\+xml|xml|octet-stream))?\s*$/.test(type)) return;
  throw new ExtractionFailure(
    'E_UNSUPPORTED_CONTENT',
    `What lies there is ${type.trim()}, neither a page nor a PDF. Nexus reads only these.`,
  );
}

/** What came back from a thread, as a failure that a person can act on. */
function inWords(error: unknown, onBug: (error: Error) => void): unknown {
  if (error instanceof TaskFailed) {
    const { code = '', message } = error;
    // A stack or a string that can grow no further.
    if (error.name === 'RangeError') return tooMuchMemory(error);
    if (code in FAILURES) return new ExtractionFailure(code as FailureCode, message, { cause: error });
    onBug(error);
    return new ExtractionFailure('E_EXTRACTION_FAILED', 'Nexus could not make sense of this document.', {
      cause: error,
    });
  }
  if (!(error instanceof ThreadStopped) || error.reason === 'closed') return error;
  if (error.reason === 'timeout') {
    return new ExtractionFailure('E_EXTRACTION_TIMEOUT', 'The document takes too long to read.', {
      cause: error,
    });
  }
  if (error.reason === 'memory') return tooMuchMemory(error);
  onBug(error);
  return new ExtractionFailure('E_EXTRACTION_FAILED', 'Nexus could not make sense of this document.', {
    cause: error,
  });
}

function tooMuchMemory(cause: Error): ExtractionFailure {
  return new ExtractionFailure('E_EXTRACTION_MEMORY', 'The document takes too much memory to read.', {
    cause,
  });
}
