import { queryOptions } from '@tanstack/react-query';
import type * as jobs from '../../../src/contract/jobs.ts';
import { api } from '../api/client.ts';
import type { Wire } from '../api/types.ts';
import type { Counts, ImportItem } from './import-item.ts';

/** What one job takes, and what one request does: addresses have up to three bytes a character. */
const MAX_LINKS = 10_000;
const MAX_CHARACTERS = 7_000_000;
const LOOK_AGAIN_MS = 1000;

type Progress = Wire<typeof jobs.jobProgress>;
type Job = Wire<typeof jobs.job>;

/** A link, and when it was saved elsewhere in milliseconds since 1970; 0 where that is not known. */
export interface ImportedLink {
  url: string;
  savedAt: number;
}

/** Names an import, so that sending a portion a second time does not import it twice. */
export function newImportName(): string {
  // Not `randomUUID`: a Nexus on a private network may be reached without TLS, where there is none.
  return [...crypto.getRandomValues(new Uint8Array(16))]
    .map((byte) => byte.toString(16).padStart(2, '0'))
    .join('');
}

/** Hands the links over, portion by portion, and gives the ids of the jobs. */
export async function submitImport(
  name: string,
  links: readonly ImportedLink[],
  libraryId: string | undefined,
  onPortion: (sent: number) => void,
): Promise<string[]> {
  const ids: string[] = [];
  let sent = 0;
  for (const portion of portionsOf(links)) {
    const { job_id } = await api.post<{ job_id: string }>('/api/v1/jobs/submit', {
      job_type: 'ingest_batch',
      idempotency_key: `import-${name}-${ids.length}`,
      payload: {
        urls: portion.map(({ url }) => url),
        saved_at: portion.map(({ savedAt }) => (savedAt > 0 ? new Date(savedAt).toISOString() : null)),
        ...(libraryId && { library_id: libraryId }),
      },
    });
    ids.push(job_id);
    sent += portion.length;
    onPortion(sent);
  }
  return ids;
}

function* portionsOf(links: readonly ImportedLink[]): Generator<ImportedLink[]> {
  let portion: ImportedLink[] = [];
  let size = 0;
  for (const link of links) {
    if (portion.length === MAX_LINKS || size + link.url.length > MAX_CHARACTERS) {
      yield portion;
      portion = [];
      size = 0;
    }
    portion.push(link);
    size += link.url.length;
  }
  if (portion.length > 0) yield portion;
}

export const isOver = ({ status }: Pick<Progress, 'status'>) =>
  status === 'succeeded' || status === 'failed' || status === 'cancelled';

/** Events make it old when the job ends; in between it is looked at every second. */
export const progressQuery = (jobId: string) =>
  queryOptions({
    queryKey: ['jobs', 'progress', jobId],
    queryFn: ({ signal }) => api.get<Progress>(`/api/v1/jobs/${jobId}/progress`, undefined, signal),
    refetchInterval: ({ state }) => (state.data && isOver(state.data) ? false : LOOK_AGAIN_MS),
  });

/** What a job did, once it is over: all of it, or what it had done when it was stopped. */
export const resultQuery = (jobId: string) =>
  queryOptions({
    queryKey: ['import-outcome', jobId],
    queryFn: async ({ signal }): Promise<ImportItem[]> => {
      const { result, artifacts } = await api.get<Job>(`/api/v1/jobs/${jobId}`, undefined, signal);
      const kept = artifacts.find(({ artifact_type }) => artifact_type === 'ingest_batch_result');
      return ((result.items ?? kept?.artifact_payload.items) as ImportItem[] | undefined) ?? [];
    },
    staleTime: Number.POSITIVE_INFINITY,
  });

export function countsOf({ progress }: Progress): Counts {
  const number = (value: unknown) => (typeof value === 'number' ? value : 0);
  const { done, created, duplicate, invalid } = progress ?? {};
  return {
    done: number(done),
    created: number(created),
    duplicate: number(duplicate),
    invalid: number(invalid),
  };
}

export const cancelJob = (jobId: string) => api.post(`/api/v1/jobs/${jobId}/cancel`);
