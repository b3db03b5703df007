import { queryOptions } from '@tanstack/react-query';
import type * as jobs from '../../../src/contract/jobs.ts';
import { api } from '../api/client.ts';
import { dataQuery, queryKeys } from '../api/queries.ts';
import type { Wire } from '../api/types.ts';
import { batchesOf, type ImportedLink, payloadOf } from './batches.ts';
import { COUNTED, type Counts, type ImportItem } from './import-items.ts';

type Progress = Wire<typeof jobs.jobProgress>;
type Job = Wire<typeof jobs.job>;

/** Creates the idempotency key of an import, so that sending a batch twice does not import it twice. */
export function newImportName(): string {
  // `randomUUID` exists only with TLS, which servers in private networks may lack.
  return [...crypto.getRandomValues(new Uint8Array(16))]
    .map((byte) => byte.toString(16).padStart(2, '0'))
    .join('');
}

/** Sends the links in batches. Returns the ids of the jobs. */
export async function submitImport(
  name: string,
  links: readonly ImportedLink[],
  libraryId: string | undefined,
  onSent: (sent: number) => void,
): Promise<string[]> {
  const ids: string[] = [];
  let sent = 0;
  for (const batch of batchesOf(links)) {
    const { job_id } = await api.post<{ job_id: string }>('/jobs/submit', {
      job_type: 'ingest_batch',
      idempotency_key: `import-${name}-${ids.length}`,
      payload: { ...payloadOf(batch), ...(libraryId && { library_id: libraryId }) },
    });
    ids.push(job_id);
    sent += batch.length;
    onSent(sent);
  }
  return ids;
}

export const isFinished = ({ status }: Pick<Progress, 'status'>) =>
  status === 'succeeded' || status === 'failed' || status === 'cancelled';

/** The progress of a job. Events of saved items and of the job's end make it stale. */
export const progressQuery = (jobId: string) =>
  dataQuery<Progress>(queryKeys.jobProgress(jobId), `/jobs/${jobId}/progress`);

/** The results of a finished job, or the part that was done when it was cancelled. */
export const resultQuery = (jobId: string) =>
  queryOptions({
    queryKey: queryKeys.importResult(jobId),
    queryFn: async ({ signal }): Promise<ImportItem[]> => {
      const { result, artifacts } = await api.get<Job>(`/jobs/${jobId}`, undefined, signal);
      const kept = artifacts.find(({ artifact_type }) => artifact_type === 'ingest_batch_result');
      return ((result.items ?? kept?.artifact_payload.items) as ImportItem[] | undefined) ?? [];
    },
    staleTime: Number.POSITIVE_INFINITY,
  });

export function countsOf({ progress }: Progress): Counts {
  return Object.fromEntries(COUNTED.map((name) => [name, Number(progress?.[name] ?? 0)])) as Counts;
}

export const cancelJob = (jobId: string) => api.post(`/jobs/${jobId}/cancel`);
