import type { z } from 'zod';
import type { failureQuery, JobFailure } from '../../../contract/jobs.ts';
import type { Queryable } from '../../database/database.ts';
import type { SqlFragment } from '../../database/statement.ts';
import { queueState } from '../job-state.ts';

const SAMPLES = 5;

/** The jobs whose last attempt that ended did not succeed, ready for more conditions. */
export function troubledJobs(sql: Queryable): SqlFragment {
  return sql`
    job_attempts as last_attempt
    join jobs on jobs.id = last_attempt.job_id
    where last_attempt.status <> 'succeeded'
      and not exists (
        select from job_attempts as later
        where later.job_id = jobs.id and later.attempt_number > last_attempt.attempt_number
      )`;
}

export type FailureFilter = z.output<typeof failureQuery>;

interface FailureGrouping extends FailureFilter {
  /** Whether failures with different words are different, and the words of the latest are shown. */
  byWords: boolean;
}

/** Groups failures, the most frequent first, without jobs that were cancelled or queued again since. */
export async function groupFailures(sql: Queryable, grouping: FailureGrouping, limit: number) {
  const { minutes, job_type, queue, byWords } = grouping;
  return sql<JobFailure[]>`
    with failure as materialized (
      select
        ${byWords ? sql`last_attempt.failure_id` : sql`null::uuid as failure_id`}, jobs.id, jobs.job_type, last_attempt.error_code, last_attempt.finished_at,
        (select ${queueState(sql)} from job_queue where job_queue.job_id = jobs.id) as waiting
      from ${troubledJobs(sql)}
        and last_attempt.finished_at >= now() - ${minutes} * interval '1 minute'
        and jobs.cancelled_at is null
        ${job_type === undefined ? sql`` : sql`and jobs.job_type = ${job_type}`}
        ${queue === undefined ? sql`` : sql`and jobs.queue = ${queue}`}
    ),
    grouped as (
      select
        failure_id, job_type, error_code,
        count(*) filter (where waiting is null) as failed_count,
        count(waiting) as retrying_count,
        min(finished_at) as first_seen_at,
        max(finished_at) as last_seen_at,
        (array_agg(id order by finished_at desc, id desc))[:${SAMPLES}::int] as sample_job_ids
      from failure
      where waiting is distinct from 'queued'
      group by failure_id, job_type, error_code
      order by count(*) desc, failure_id, job_type, error_code
      limit ${limit}
    )
    select grouped.*, ${byWords ? sql`latest.error_text` : sql`null as error_text`}
    from grouped
    cross join lateral (
      select error_text
      from job_attempts
      where job_id = grouped.sample_job_ids[1] and status <> 'succeeded'
      order by attempt_number desc
      limit 1
    ) as latest
    order by failed_count + retrying_count desc, failure_id, job_type, error_code`;
}
