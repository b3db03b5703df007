import { createHash } from 'node:crypto';
import { z } from 'zod';
import { Failure } from '../../../contract/errors.ts';
import type { MediaKind } from '../../../contract/media.ts';
import { id } from '../../../contract/wire.ts';
import type { Database, Transaction } from '../../../platform/database/database.ts';
import { transaction } from '../../../platform/database/transaction.ts';
import { newId } from '../../../platform/ids.ts';
import {
  type Completion,
  defineJobType,
  type JobContext,
  type JobType,
} from '../../../platform/jobs/job-type.ts';
import { type EnqueueOptions, enqueue, enqueueMany } from '../../../platform/jobs/submit/enqueue.ts';
import type { Storage } from '../../../platform/storage/storage.ts';
import type { Logger } from '../../../platform/telemetry/logger.ts';
import { isOwnTrouble } from '../../../platform/work/interruption.ts';
import { PermanentError, RetryLater } from '../../../platform/work/retry-policy.ts';
import { emitMediaEvents } from '../events.ts';
import { type Asset, ExtractionFailure } from '../extractors/extraction.ts';
import { imageKeysOf, writeImageKeys } from '../files/image-references.ts';
import type { Quota } from '../files/quota.ts';
import { listPayers, setCharge } from '../files/quota-store.ts';
import { deleteFiles } from '../files/stored-files.ts';
import { lockKnown, replaceByKnown } from '../saving/unite-media.ts';
import { buildSearchRows } from '../search/search-rows.ts';
import * as store from '../store.ts';
import { endProcessing } from './end-processing.ts';
import type { Extracted, ExtractorRegistry } from './extractor-registry.ts';
import * as lifecycle from './lifecycle.ts';
import { requeueMedia } from './requeue-media.ts';

const QUEUE = 'ingest';
const UNIQUE_VIOLATION = '23505';

const payload = z.strictObject({ media_id: id });
type Payload = z.output<typeof payload>;

export interface IngestDependencies {
  sql: Database;
  log: Logger;
  storage: Storage;
  quota: Pick<Quota, 'hasRoom'>;
  extractors: ExtractorRegistry;
}

export type Ingest = ReturnType<typeof createIngest>;

/** The work that makes what was saved readable, and findable. */
export function createIngest(dependencies: IngestDependencies) {
  const { sql, log, storage, quota, extractors } = dependencies;
  const ingestType = defineJobType('ingest_media', {
    queue: QUEUE,
    payload,
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

  /** Puts a media on its way, in the transaction that makes that necessary. False for a kind without an extractor. */
  async function maybeEnqueueExtraction(
    tx: Transaction,
    kind: MediaKind,
    mediaId: string,
    options: Pick<EnqueueOptions, 'requestId' | 'createdBy'>,
  ): Promise<boolean> {
    return (await enqueueExtractions(tx, [{ id: mediaId, kind }], options)).length === 1;
  }

  /** Enqueues the extraction of many media. Returns the ids of those that were enqueued. */
  async function enqueueExtractions(
    tx: Transaction,
    media: { id: string; kind: MediaKind }[],
    options: Pick<EnqueueOptions, 'requestId' | 'createdBy' | 'priority'>,
  ): Promise<string[]> {
    const wanted = media.filter(({ kind }) => extractors.has(kind));
    if (wanted.length === 0) return [];
    const jobs = wanted.map(({ id: media_id }) => ({
      type: ingestType as JobType,
      payload: { media_id },
      ...options,
    }));
    const enqueued = await enqueueMany(tx, jobs);
    const assigned = wanted.map(({ id: media_id }, index) => ({
      media_id,
      job_id: enqueued[index]?.id ?? '',
    }));
    await store.assignJobs(tx, assigned);
    return wanted.map(({ id: mediaId }) => mediaId);
  }

  async function enqueueStep(
    tx: Transaction,
    type: JobType<Payload>,
    mediaId: string,
    options: Pick<EnqueueOptions, 'requestId' | 'createdBy' | 'priority'> = {},
  ): Promise<void> {
    const { id: jobId } = await enqueue(tx, { type, payload: { media_id: mediaId }, ...options });
    await store.assignJobs(tx, [{ media_id: mediaId, job_id: jobId }]);
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
   * Keeps what was extracted, under the address that the page is known by. Files first, because nothing refers to them yet; then all rows, the next job and this one's end, in one commit. The
   * files of each attempt have paths of their own: those that are not kept are deleted, and are nobody else's. When it is
   * not known whether the commit came through, they are left to the sweep of orphaned files.
   */
  async function keep(source: store.MediaSource, extracted: Extracted, context: JobContext): Promise<void> {
    const folder = `media/${source.id}/${newId()}`;
    const file = extracted.file && (await storeFile(folder, extracted.file));
    const assets = await storeAssets(folder, extracted.extraction.assets);
    const discard = () => deleteFiles(storage, folder);
    try {
      const keepRows = () =>
        transaction(sql, (tx) => commit(tx, source, { ...extracted, file, assets }, context));
      const isKept = await keepRows().catch((error) => {
        // Somebody has saved this address, or found it, at this moment: by now it is known.
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
   * Of two media with one address the readable one stays: one that is known and can be read takes this one's place, and
   * this one takes the place of any other. False when the media turned out to be a known one, or is not this job's any more.
   */
  async function commit(
    tx: Transaction,
    source: store.MediaSource,
    extracted: Omit<Extracted, 'file'> & {
      file: store.StoredMediaFile | undefined;
      assets: Parameters<typeof store.insertAssets>[2];
    },
    context: JobContext,
  ): Promise<boolean> {
    const { extraction, kind, canonicalUrl, file, assets } = extracted;
    const known = await lockKnown(tx, { id: source.id, kind, canonicalUrl });
    if (known?.is_readable) {
      await replaceByKnown(tx, source.id, known.id);
      await context.complete(tx, { result: { outcome: 'known', media_id: known.id } });
      return false;
    }
    const isOurs = await lifecycle.markReadyForReading(tx, source.id, context.log);
    if (isOurs) {
      if (known) await replaceByKnown(tx, known.id, source.id);
      if (file) await store.setFile(tx, source.id, file);
      await store.insertAssets(tx, source.id, assets);
      await store.writeExtraction(tx, source.id, { kind, canonicalUrl, extraction });
      await writeImageKeys(tx, source.id, imageKeysOf(extraction));
      await emitMediaEvents(tx, 'media.ready', [{ media_id: source.id, kind }]);
      await enqueueStep(tx, indexType, source.id, { requestId: context.requestId ?? undefined });
      await charge(tx, source.id, (file?.size ?? 0) + bytesOf(extraction));
    }
    await context.complete(tx, { result: { outcome: isOurs ? 'ready_for_reading' : 'not ours' } });
    return isOurs;
  }

  /**
   * Charges an extraction to whoever pays for the media or, when they have no room, to somebody else who saved it and has.
   * Last, because whoever pays is locked until the transaction ends. The failure says nothing of anybody's figures:
   * everybody who can read the media sees it.
   */
  async function charge(tx: Transaction, mediaId: string, bytes: number): Promise<void> {
    for (const { user_id, stored_bytes } of await listPayers(tx, mediaId)) {
      if (!(await quota.hasRoom(tx, user_id, bytes))) continue;
      await setCharge(tx, mediaId, user_id, stored_bytes + bytes);
      return;
    }
    throw new Failure(
      'E_QUOTA_EXCEEDED',
      'There is not enough storage left for this. Remove items and empty the trash, or ask an admin for more.',
    );
  }

  async function storeFile(folder: string, bytes: Buffer): Promise<store.StoredMediaFile> {
    const path = `${folder}/original.pdf`;
    const sha256 = createHash('sha256').update(bytes).digest('hex');
    const size = await storage.put(path, bytes, { contentType: 'application/pdf' });
    return { path, content_type: 'application/pdf', size, sha256 };
  }

  async function storeAssets(folder: string, given: Asset[]) {
    const assets: Parameters<typeof store.insertAssets>[2] = [];
    for (const { name, content_type, bytes } of given) {
      const path = `${folder}/${name}`;
      await storage.put(path, bytes, { contentType: content_type });
      assets.push({ name, content_type, path });
    }
    return assets;
  }

  async function index(mediaId: string, context: JobContext): Promise<Completion | undefined> {
    const isOurs = await transaction(sql, (tx) =>
      lifecycle.workerStartIndexing(tx, mediaId, context.jobId, context.log),
    );
    if (!isOurs) return outcome('not ready for it');
    try {
      await transaction(sql, async (tx) => {
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
  async function endAttempt(
    mediaId: string,
    error: unknown,
    { isLastAttempt, signal }: JobContext,
  ): Promise<unknown> {
    if (signal.aborted || isOwnTrouble(error)) return error;
    const isFinal =
      error instanceof PermanentError || (error instanceof Failure && !error.isTransient) || isLastAttempt;
    if (!isFinal) return asRetry(error);
    const known = error instanceof ExtractionFailure ? error.known : undefined;
    if (known) await transaction(sql, (tx) => store.writeKnown(tx, mediaId, known.title, known.metadata));
    const { code, message } = toFailure(error);
    return new PermanentError(code, message, { cause: error });
  }

  return {
    maybeEnqueueExtraction,
    enqueueExtractions,
    enqueueIndexing: (
      tx: Transaction,
      mediaId: string,
      options: Pick<EnqueueOptions, 'requestId' | 'createdBy' | 'priority'>,
    ) => enqueueStep(tx, indexType, mediaId, options),
    ingestType,
    indexType,
  };
}

/** The size of an extraction in the database and in storage, without the original file. */
function bytesOf({ fragments, plain_text, assets }: Extracted['extraction']): number {
  const texts = fragments.map(
    ({ html_sanitized, canonical_text }) =>
      Buffer.byteLength(html_sanitized) + Buffer.byteLength(canonical_text),
  );
  const files = assets.map(({ bytes }) => bytes.byteLength);
  return Buffer.byteLength(plain_text) + sum(texts) + sum(files);
}

const sum = (numbers: number[]) => numbers.reduce((total, number) => total + number, 0);

function outcome(what: string): Completion {
  return { result: { outcome: what } };
}

/** A site that says when to come back is believed. */
function asRetry(error: unknown): unknown {
  const { retryAfterSeconds } = error as { retryAfterSeconds?: number };
  if (!(error instanceof Failure) || retryAfterSeconds === undefined) return error;
  return new RetryLater(retryAfterSeconds, error.code, error.message, { cause: error });
}

function toFailure(error: unknown): { code: string; message: string } {
  if (error instanceof Failure || error instanceof PermanentError) return error;
  return { code: 'E_EXTRACTION_FAILED', message: 'Nexus could not make this readable. The log says why.' };
}
