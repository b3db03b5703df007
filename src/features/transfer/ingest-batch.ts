import { NexusError } from '../../contract/errors.ts';
import type { ImportedDetails } from '../../contract/import.ts';
import { ingestBatchPayload } from '../../contract/job-payloads.ts';
import type { Database } from '../../platform/database/database.ts';
import { transaction } from '../../platform/database/transaction.ts';
import { defineJobType, type JobContext } from '../../platform/jobs/job-type.ts';
import { PermanentError } from '../../platform/work/retry-policy.ts';
import { importHighlights } from '../highlights/import-highlights.ts';
import type { Requester } from '../identity/requester.ts';
import type { Viewer } from '../libraries/access/can-read-media.ts';
import { importMine } from '../media/mine/import-mine.ts';
import { type SaveLinksOptions, saveLinks } from '../media/saving/save-links.ts';
import { inferKind, type Link, linkKey, parseMediaUrl, readLink } from '../media/saving/url.ts';
import { mergeDetails } from './merge-details.ts';

/** Links saved in one transaction. Fewer for a library, where each is written for every member. */
const CHUNK = 200;
const CHUNK_IN_LIBRARY = 50;

/** Lower than for single saves, so that nobody waits behind somebody's ten thousand links. */
const PRIORITY = 4;

const RESULT = 'ingest_batch_result';

/** The outcome for one link. */
type IngestItem = { url: string } & (
  | { outcome: 'created' | 'duplicate'; media_id: string }
  | { outcome: 'invalid'; error: { code: string; message: string } }
);

interface IngestBatchDependencies extends Pick<SaveLinksOptions, 'ingest'> {
  sql: Database;
  requester: Requester;
}

/**
 * Saves up to ten thousand links, with what another program knew about them. Each chunk is one transaction: the media, what
 * the person keeps about them, their highlights, their extraction jobs and a checkpoint. A cancelled job therefore reports what it did, and one whose worker died continues after its last chunk.
 */
export function defineIngestBatch({ sql, requester, ingest }: IngestBatchDependencies) {
  return defineJobType('ingest_batch', {
    queue: 'ingest',
    payload: ingestBatchPayload,
    submittedBy: 'operator',
    creatorsFields: ['details'],
    async handler({ urls, saved_at, details, library_id }, context) {
      const viewer = await requester(context.createdBy);
      const last = await context.lastCheckpoint(RESULT);
      const items = (last?.items ?? []) as IngestItem[];
      while (items.length < urls.length) {
        context.signal.throwIfAborted();
        const size = library_id === undefined ? CHUNK : CHUNK_IN_LIBRARY;
        const chunk = urls.slice(items.length, items.length + size).map((url, index) => {
          const place = items.length + index;
          return { ...readItem(url, saved_at?.[place] ?? undefined), details: details?.[place] ?? undefined };
        });
        items.push(...(await saveChunk(chunk, items, { viewer, libraryId: library_id, context })));
        await context.progress({ total: urls.length, done: items.length, ...countOutcomes(items) });
      }
      const summary = summarise(context.jobId, items);
      return {
        result: { ...summary, items },
        artifacts: [{ artifact_type: RESULT, artifact_payload: { ...summary, is_complete: true } }],
      };
    },
  });

  async function saveChunk(
    chunk: (ReadItem & { details: ImportedDetails | undefined })[],
    before: IngestItem[],
    { viewer, libraryId, context }: { viewer: Viewer; libraryId: string | undefined; context: JobContext },
  ): Promise<IngestItem[]> {
    const options = {
      ingest,
      libraryId,
      priority: PRIORITY,
      createdBy: context.createdBy ?? undefined,
      requestId: context.requestId ?? undefined,
    };
    return transaction(sql, async (tx) => {
      const saved = await saveLinks(tx, viewer, uniqueLinks(chunk), options).catch(permanently);
      const idOf = (link: Link) => saved.get(linkKey(link))?.media_id ?? '';
      const known = detailsByMedia(
        chunk.flatMap(({ link, details }) => (link ? { id: idOf(link), details } : [])),
      );
      const actor = { requestId: options.requestId };
      await importMine(tx, viewer, known, actor).catch(permanently);
      await importHighlights(tx, viewer, known, actor);
      const seen = new Set<string>();
      const items = chunk.map(({ url, link, error }): IngestItem => {
        if (!link) return { url, outcome: 'invalid', error };
        const { media_id, created } = saved.get(linkKey(link)) ?? { media_id: '', created: false };
        const isFirst = !seen.has(media_id);
        seen.add(media_id);
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

type ReadItem = { url: string } & (
  | { link: Link; error?: never }
  | { link?: never; error: { code: string; message: string } }
);

function readItem(text: string, savedAt: string | undefined): ReadItem {
  try {
    const url = parseMediaUrl(text);
    const link = readLink(inferKind(url), url);
    return { url: text, link: { ...link, saved_at: savedAt === undefined ? undefined : new Date(savedAt) } };
  } catch (error) {
    if (!(error instanceof NexusError)) throw error;
    return { url: text, error: { code: error.code, message: error.message } };
  }
}

/** The valid links of a chunk, each once. A link that is there twice was saved at the earlier of its dates. */
function uniqueLinks(chunk: ReadItem[]): Link[] {
  const links = new Map<string, Link>();
  for (const { link } of chunk) {
    if (!link) continue;
    const dates = [links.get(linkKey(link))?.saved_at, link.saved_at].filter((date) => date !== undefined);
    links.set(linkKey(link), { ...link, saved_at: dates.sort((a, b) => a.getTime() - b.getTime())[0] });
  }
  return [...links.values()];
}

/** Merges the imported details by media, so that each media is there once. */
function detailsByMedia(given: { id: string; details: ImportedDetails | undefined }[]) {
  const byMedia = new Map<string, ImportedDetails>();
  for (const { id, details } of given) {
    const before = byMedia.get(id);
    if (details) byMedia.set(id, before ? mergeDetails(before, details) : details);
  }
  return [...byMedia].map(([media_id, details]) => ({ media_id, ...details }));
}

/** Makes a refusal permanent: somebody who may not write to the library now may not on a retry either. */
function permanently(error: unknown): never {
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
