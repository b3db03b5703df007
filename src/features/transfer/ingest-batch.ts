import { z } from 'zod';
import { NexusError } from '../../contract/errors.ts';
import { id, timestamp } from '../../contract/wire.ts';
import type { Database } from '../../platform/database/database.ts';
import { transaction } from '../../platform/database/transaction.ts';
import { defineJobType, type JobContext } from '../../platform/jobs/job-type.ts';
import { PermanentError } from '../../platform/work/retry-policy.ts';
import type { Requester } from '../identity/requester.ts';
import type { Viewer } from '../libraries/access/can-read-media.ts';
import { newUrlMedia } from '../media/media.ts';
import {
  keyOf,
  type NewUrlMedia,
  type SaveLinksDependencies,
  saveLinks,
} from '../media/saving/save-links.ts';
import { inferKind, parseMediaUrl } from '../media/saving/url.ts';

export const MOST_LINKS = 10_000;
const LONGEST_LINK = 10_000;

/** So many are saved in one transaction; fewer where each is written for every member of a library. */
const CHUNK = 200;
const CHUNK_IN_LIBRARY = 50;

/** Below what people save one by one, so that nobody waits for somebody's ten thousand. */
const PRIORITY = 4;

const RESULT = 'ingest_batch_result';

/** What became of one link. */
export type IngestItem = { url: string } & (
  | { outcome: 'created' | 'duplicate'; media_id: string }
  | { outcome: 'invalid'; error: { code: string; message: string } }
);

export interface IngestBatchDependencies extends SaveLinksDependencies {
  sql: Database;
  requester: Requester;
}

const link = z
  .string()
  .max(LONGEST_LINK)
  .regex(/^[^\0]*$/, 'must not hold the NUL character')
  .refine((value) => !/\p{Surrogate}/u.test(value), 'must not hold halves of characters');

/** Stays text: a payload is read once more by whoever runs the job. */
const moment = z.iso
  .datetime({ offset: true })
  .refine((text) => timestamp.safeParse(text).success, 'takes a point in time from the year 1 to 9999');

const payload = z
  .strictObject({
    urls: z.array(link).min(1).max(MOST_LINKS),
    /** When each was saved elsewhere, in the order of `urls`. */
    saved_at: z.array(moment.nullable()).max(MOST_LINKS).optional(),
    library_id: id.optional(),
  })
  .refine(({ urls, saved_at }) => saved_at === undefined || saved_at.length === urls.length, {
    path: ['saved_at'],
    message: 'takes one entry for each of urls, null where it is not known',
  });

/**
 * Saves up to ten thousand links. Each chunk is one transaction with its media, their extraction, and the checkpoint that
 * tells of it. So a job that is cancelled says what it did, and one whose worker died goes on behind its last chunk.
 */
export function defineIngestBatch({ sql, requester, ...dependencies }: IngestBatchDependencies) {
  return defineJobType('ingest_batch', {
    queue: 'ingest',
    payload,
    submittedBy: 'operator',
    async handler({ urls, saved_at, library_id }, context) {
      const viewer = await requester(context.createdBy);
      const items = await itemsSoFar(context);
      while (items.length < urls.length) {
        context.signal.throwIfAborted();
        const size = library_id === undefined ? CHUNK : CHUNK_IN_LIBRARY;
        const chunk = urls
          .slice(items.length, items.length + size)
          .map((url, index) => ({ url, savedAt: saved_at?.[items.length + index] ?? undefined }));
        items.push(...(await ingestChunk(viewer, chunk, library_id, items, context)));
        await context.progress({ total: urls.length, done: items.length, ...countOutcomes(items) });
      }
      const summary = summarise(context.jobId, items);
      return {
        result: { ...summary, items },
        artifacts: [{ artifact_type: RESULT, artifact_payload: { ...summary, is_complete: true } }],
      };
    },
  });

  async function ingestChunk(
    viewer: Viewer,
    given: { url: string; savedAt: string | undefined }[],
    libraryId: string | undefined,
    before: IngestItem[],
    context: JobContext,
  ): Promise<IngestItem[]> {
    const links = given.map((one) => ({ ...one, ...read(viewer, one.url) }));
    const valid = links.flatMap(({ media }) => media ?? []);
    const options = {
      libraryId,
      priority: PRIORITY,
      savedAt: earliest(links),
      createdBy: context.createdBy ?? undefined,
      requestId: context.requestId ?? undefined,
    };
    return transaction(sql, async (tx) => {
      const saved = await saveLinks(tx, viewer, valid, dependencies, options).catch(forGood);
      const told = new Set<string>();
      const items = links.map(({ url, media, error }): IngestItem => {
        if (!media) return { url, outcome: 'invalid', error };
        const { media_id, created } = saved.get(keyOf(media)) ?? { media_id: '', created: false };
        const isFirst = !told.has(media_id);
        told.add(media_id);
        return { url, outcome: created && isFirst ? 'created' : 'duplicate', media_id };
      });
      const done = [...before, ...items];
      await context.checkpoint(tx, {
        artifact_type: RESULT,
        artifact_payload: { ...summarise(context.jobId, done), is_complete: false, items: done },
      });
      return items;
    });
  }
}

async function itemsSoFar(context: JobContext): Promise<IngestItem[]> {
  const last = await context.lastCheckpoint(RESULT);
  return (last?.items as IngestItem[] | undefined) ?? [];
}

type Read =
  | { media: NewUrlMedia; error?: never }
  | { media?: never; error: { code: string; message: string } };

function read(viewer: Viewer, text: string): Read {
  try {
    const url = parseMediaUrl(text);
    return { media: newUrlMedia(viewer, inferKind(url), url) };
  } catch (error) {
    if (!(error instanceof NexusError)) throw error;
    return { error: { code: error.code, message: error.message } };
  }
}

/** When each was saved elsewhere; of a link that is there twice, the first time. */
function earliest(links: { media?: NewUrlMedia; savedAt: string | undefined }[]): Map<string, Date> {
  const moments = new Map<string, Date>();
  for (const { media, savedAt } of links) {
    if (!media || savedAt === undefined) continue;
    const moment = new Date(savedAt);
    const known = moments.get(keyOf(media));
    if (!known || moment < known) moments.set(keyOf(media), moment);
  }
  return moments;
}

/** Whoever may not write to the library now will not when it is tried again. */
function forGood(error: unknown): never {
  if (error instanceof NexusError) throw new PermanentError(error.code, error.message, { cause: error });
  throw error;
}

function countOutcomes(items: IngestItem[]) {
  const count = (wanted: IngestItem['outcome']) => items.filter(({ outcome }) => outcome === wanted).length;
  return { created: count('created'), duplicate: count('duplicate'), invalid: count('invalid') };
}

function summarise(jobId: string, items: IngestItem[]) {
  const counts = countOutcomes(items);
  return { ingest_job_id: jobId, documents_ingested: counts.created, ...counts };
}
