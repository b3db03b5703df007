import { createHash } from 'node:crypto';
import { z } from 'zod';
import { Failure } from '../../../contract/errors.ts';
import type { MediaKind } from '../../../contract/media.ts';
import { id } from '../../../contract/wire.ts';
import type { Transaction } from '../../../platform/database/database.ts';
import { transaction } from '../../../platform/database/transaction.ts';
import { newId } from '../../../platform/ids.ts';
import { type Completion, defineJobType, type JobContext } from '../../../platform/jobs/job-type.ts';
import {
  type EnqueueOptions,
  enqueue,
  enqueueMany,
  type NewJob,
} from '../../../platform/jobs/submit/enqueue.ts';
import { isOwnTrouble } from '../../../platform/work/interruption.ts';
import { PermanentError, RetryLater } from '../../../platform/work/retry-policy.ts';
import type { Platform } from '../../feature.ts';
import { emitMediaEvents } from '../events.ts';
import { ExtractionFailure } from '../extractors/extraction.ts';
import { deleteFiles } from '../files/files.ts';
import { writeImageKeys } from '../files/image-store.ts';
import { type Images, imageKeysOf } from '../files/images.ts';
import type { Quota } from '../files/quota.ts';
import { markAsked } from '../files/thumbnail-store.ts';
import { lockKnown, type OnReplace, replaceByKnown } from '../saving/unite-media.ts';
import { buildSearchRows } from '../search/search-rows.ts';
import * as store from '../store.ts';
import type { Extracted, ExtractorRegistry } from './extract.ts';
import * as lifecycle from './lifecycle.ts';
import { endProcessing, requeueMedia } from './media-jobs.ts';

const QUEUE = 'ingest';
const UNIQUE_VIOLATION = '23505';

const UNEXPECTED = {
  code: 'E_EXTRACTION_FAILED',
  message:
    'Something went wrong in Nexus while it processed this. Retry, or ask an admin to look at the job.',
};

const payload = z.strictObject({ media_id: id });
type Payload = z.output<typeof payload>;
type JobOptions = Pick<EnqueueOptions, 'requestId' | 'createdBy' | 'priority'>;

interface IngestDependencies extends Pick<Platform, 'sql' | 'log' | 'storage'> {
  quota: Pick<Quota, 'charge'>;
  extractors: ExtractorRegistry;
  images: Pick<Images, 'saveType'>;
  onReplace: OnReplace;
}

export type Ingest = ReturnType<typeof createIngest>;

/** The jobs that make saved media readable (`ingest_media`) and searchable (`embed_media`). */
export function createIngest(dependencies: IngestDependencies) {
  const { sql, log, storage, quota, extractors, images, onReplace } = dependencies;
  const sourceUrl = async ({ media_id }: Payload) =>
    (await store.findSource(sql, media_id))?.canonical_url ?? null;
  const ingestType = defineJobType('ingest_media', {
    queue: QUEUE,
    payload,
    sourceUrl,
    prepareRequeue: (tx, { media_id }, jobId) => requeueMedia(tx, media_id, jobId, 'pending'),
    onEnded: (tx, job) => endProcessing(tx, job, log),
    retry: { delays: (attempt) => 5 * 4 ** (attempt - 1), jitter: 0.5, maximum: 300 },
    handler: ({ media_id }, context) => ingest(media_id, context),
  });
  const indexType = defineJobType('embed_media', {
    queue: QUEUE,
    payload,
    prepareRequeue: (tx, { media_id }, jobId) => requeueMedia(tx, media_id, jobId, 'ready_for_reading'),
    onEnded: (tx, job) => endProcessing(tx, job, log),
    handler: ({ media_id }, context) => index(media_id, context),
  });

  /** Whether new media of a kind are extracted. */
  const hasJob = (kind: MediaKind) => extractors.has(kind);

  /**
   * Enqueues the job that each media continues with, in the transaction that makes it necessary. Failed media are retried,
   * unless somebody else has done so. A `job_id` is the id that the job gets. Returns the ids of those that were enqueued: a kind without an extractor has no job.
   */
  async function enqueueProcessing(
    tx: Transaction,
    media: (Pick<store.MediaSource, 'id' | 'kind' | 'processing_status'> & { job_id?: string | null })[],
    options: JobOptions,
  ): Promise<string[]> {
    const jobs: NewJob<Payload>[] = [];
    for (const { id: media_id, kind, processing_status, job_id } of media) {
      const from =
        processing_status === 'failed' ? await lifecycle.retryIfFailed(tx, media_id) : processing_status;
      const payload = { media_id };
      const job = { id: job_id ?? undefined, payload, ...options };
      if (from === 'ready_for_reading') jobs.push({ type: indexType, ...job });
      if (from === 'pending' && hasJob(kind)) jobs.push({ type: ingestType, ...job });
    }
    if (jobs.length === 0) return [];
    const enqueued = await enqueueMany(tx, jobs as NewJob[]);
    const mediaIds = jobs.map((job) => job.payload.media_id);
    const jobIds = enqueued.map((job) => job.id);
    store.assignJobs(tx, mediaIds, jobIds);
    return mediaIds;
  }

  async function ingest(mediaId: string, context: JobContext): Promise<Completion | undefined> {
    const source = await store.findSource(sql, mediaId);
    if (!source) return outcome('missing');
    const extract = extractors.get(source.kind);
    if (!extract) return outcome('no extractor');
    const isOurs = await transaction(sql, (tx) =>
      lifecycle.workerStartAttempt(tx, mediaId, context.jobId, context.log),
    );
    if (!isOurs) return outcome('not pending');
    try {
      const extracted = await extract(source, context.signal);
      await keep(source, extracted, context);
      return undefined;
    } catch (error) {
      throw await endAttempt(mediaId, error, context);
    }
  }

  /**
   * Stores what was extracted: first the files, to which nothing refers yet, then in one commit all rows, the next job and
   * the end of this one. Each attempt has its own folder, so its files can be deleted when they are not kept. When it is
   * unknown whether the commit succeeded, they are left to the sweep of orphaned files.
   */
  async function keep(source: store.MediaSource, extracted: Extracted, context: JobContext): Promise<void> {
    const folder = `media/${source.id}/${newId()}`;
    const file = extracted.file && (await storeFile(folder, extracted.file));
    const assets = extracted.extraction.assets.map((asset) => ({
      ...asset,
      path: `${folder}/${asset.name}`,
    }));
    for (const { path, bytes, content_type: contentType } of assets)
      await storage.put(path, bytes, { contentType });
    const discard = () => deleteFiles(storage, folder);
    try {
      const keepRows = () =>
        transaction(sql, (tx) => commit(tx, source, { ...extracted, file, assets }, context));
      const isKept = await keepRows().catch((error) => {
        // Somebody saved or found this address in parallel, so it is now known.
        if (error.code === UNIQUE_VIOLATION) return keepRows();
        throw error;
      });
      if (!isKept) await discard();
    } catch (error) {
      if (error instanceof Failure) await discard();
      throw error;
    }
  }

  /**
   * Writes the rows of an extraction. Of two media with one address the readable one stays: a known media that can be read
   * replaces this one, and this one replaces any other. False when this one was replaced, or is no longer this job's.
   */
  async function commit(
    tx: Transaction,
    source: store.MediaSource,
    extracted: Omit<Extracted, 'file'> & {
      file: store.StoredMediaFile | undefined;
      assets: store.StoredAsset[];
    },
    context: JobContext,
  ): Promise<boolean> {
    const { extraction, kind, canonicalUrl, file, assets } = extracted;
    const page = { id: source.id, kind, canonicalUrl };
    const known = await lockKnown(tx, page);
    if (known?.is_readable) {
      await replaceByKnown(tx, source.id, known.id, onReplace);
      await context.complete(tx, { result: { outcome: 'known', media_id: known.id } });
      return false;
    }
    const isOurs = await lifecycle.markReadyForReading(tx, source.id, context.log);
    if (isOurs) {
      if (known) await replaceByKnown(tx, known.id, source.id, onReplace);
      if (file) await store.setFile(tx, source.id, file);
      await store.insertAssets(tx, source.id, assets);
      await store.writeExtraction(tx, page, extraction);
      const imageKeys = imageKeysOf(extraction);
      await writeImageKeys(tx, source.id, imageKeys);
      await emitMediaEvents(tx, 'media.ready', [{ media_id: source.id, kind }]);
      const readable = { id: source.id, kind, processing_status: 'ready_for_reading' } as const;
      const cause = { requestId: context.requestId ?? undefined };
      await enqueueProcessing(tx, [readable], cause);
      // A job of its own, so that slow sites of images delay neither the text nor the search.
      if (imageKeys.length > 0 || extraction.metadata.cover !== null || kind === 'pdf') {
        await enqueue(tx, { type: images.saveType, payload: { media_id: source.id }, ...cause });
        await markAsked(tx, [source.id]);
      }
      // Charging comes last, because whoever pays is locked until the transaction ends.
      await quota.charge(tx, source.id, (file?.size ?? 0) + bytesOf(extraction));
    }
    await context.complete(tx, { result: { outcome: isOurs ? 'ready_for_reading' : 'not ours' } });
    return isOurs;
  }

  async function storeFile(folder: string, bytes: Buffer): Promise<store.StoredMediaFile> {
    const path = `${folder}/original.pdf`;
    const sha256 = createHash('sha256').update(bytes).digest('hex');
    const size = await storage.put(path, bytes, { contentType: 'application/pdf' });
    return { path, content_type: 'application/pdf', size, sha256 };
  }

  async function index(mediaId: string, context: JobContext): Promise<Completion | undefined> {
    const isOurs = await transaction(sql, (tx) =>
      lifecycle.workerStartIndexing(tx, mediaId, context.jobId, context.log),
    );
    if (!isOurs) return outcome('not ready for it');
    try {
      await transaction(sql, async (tx) => {
        // Without the lock, a title that is edited now would be missing in the search.
        await store.lockMedia(tx, mediaId);
        const pieces = await buildSearchRows(tx, mediaId);
        await lifecycle.markReady(tx, mediaId, context.log);
        await context.complete(tx, { result: { outcome: 'ready', pieces } });
      });
      return undefined;
    } catch (error) {
      throw await endAttempt(mediaId, error, context);
    }
  }

  /** Returns the error that ends the attempt: one that allows a retry, or the media's failure. */
  async function endAttempt(mediaId: string, error: unknown, { isLastAttempt, signal }: JobContext) {
    if (signal.aborted || isOwnTrouble(error)) return error;
    const isFinal =
      error instanceof PermanentError || (error instanceof Failure && !error.isTransient) || isLastAttempt;
    if (!isFinal) return asRetry(error);
    const known = error instanceof ExtractionFailure ? error.known : undefined;
    if (known) await transaction(sql, (tx) => store.writeKnown(tx, mediaId, known));
    const isForReaders = error instanceof Failure || error instanceof PermanentError;
    const { code, message } = isForReaders ? error : UNEXPECTED;
    return new PermanentError(code, message, { cause: error });
  }

  return {
    ingestType,
    indexType,
    hasJob,
    enqueueProcessing,

    /** Enqueues the extraction of one media. False for a kind without an extractor. */
    async maybeEnqueueExtraction(tx: Transaction, kind: MediaKind, id: string, options: JobOptions) {
      const media = { id, kind, processing_status: 'pending' } as const;
      return (await enqueueProcessing(tx, [media], options)).length === 1;
    },
  };
}

/** The size of an extraction in the database and in storage, without the original file. */
function bytesOf({ fragments, plain_text, assets }: Extracted['extraction']): number {
  let size = Buffer.byteLength(plain_text);
  for (const { html_sanitized, canonical_text, layout } of fragments) {
    size += Buffer.byteLength(html_sanitized) + Buffer.byteLength(canonical_text);
    if (layout?.type === 'page') size += Buffer.byteLength(layout.styles);
  }
  for (const { bytes } of assets) size += bytes.byteLength;
  return size;
}

function outcome(what: string): Completion {
  return { result: { outcome: what } };
}

/** Returns a retry at the time that the site asks for, if it does. */
function asRetry(error: unknown): unknown {
  const { retryAfterSeconds } = error as { retryAfterSeconds?: number };
  if (!(error instanceof Failure) || retryAfterSeconds === undefined) return error;
  return new RetryLater(retryAfterSeconds, error.code, error.message, { cause: error });
}
