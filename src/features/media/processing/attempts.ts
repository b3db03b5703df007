import type { MediaAttempt } from '../../../contract/media.ts';
import type { Queryable } from '../../../platform/database/database.ts';

import { isForReaders } from './end-processing.ts';

type AttemptRow = Omit<MediaAttempt, 'attempt_number' | 'summary'> & {
  error_text: string | null;
  next_at: Date | null;
};

/** What was tried, in the order in which it was, for people to read. */
export async function listAttempts(sql: Queryable, mediaId: string): Promise<MediaAttempt[]> {
  const rows = await sql<AttemptRow[]>`
    select
      case jobs.job_type when 'embed_media' then 'index' else 'extract' end as step,
      attempt.status, attempt.error_text, attempt.error_code, attempt.started_at, attempt.finished_at,
      case when attempt.attempt_number = job_queue.attempt_count then job_queue.due_at end as next_at
    from media_jobs
    join jobs on jobs.id = media_jobs.job_id
    left join job_queue on job_queue.job_id = jobs.id
    cross join lateral (
      select attempt_number, status, error_text, error_code, started_at, finished_at
      from job_attempts
      where job_attempts.job_id = jobs.id
      union all
      select job_queue.attempt_count, 'running', null, null, job_queue.started_at, null
      where job_queue.started_at is not null
    ) as attempt
    where media_jobs.media_id = ${mediaId}
    order by attempt.started_at, jobs.id, attempt.attempt_number`;
  return rows.map(({ error_text, next_at, ...row }, index) => ({
    ...row,
    attempt_number: index + 1,
    summary: describeAttempt(row, error_text, next_at),
  }));
}

function describeAttempt(
  { step, status, error_code }: Pick<AttemptRow, 'step' | 'status' | 'error_code'>,
  errorText: string | null,
  nextAt: Date | null,
): string {
  const again = nextAt ? ' It is tried again by itself.' : '';
  if (status === 'running') return step === 'index' ? 'Making it findable.' : 'Fetching and reading it.';
  if (status === 'succeeded') return step === 'index' ? 'It can be found by its text.' : 'It could be read.';
  if (status === 'interrupted') return `Nexus was interrupted in the middle of it.${again}`;
  return `${(isForReaders(error_code) && errorText) || 'It could not be read.'}${again}`;
}
