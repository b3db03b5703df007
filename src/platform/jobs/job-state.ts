import type { Queryable } from '../database/database.ts';
import type { SqlFragment } from '../database/statement.ts';

/** The state of a job that is not over, from its row in `job_queue`. */
export function queueState(sql: Queryable): SqlFragment {
  return sql`
    case
      when job_queue.lease_token is not null then 'running'
      when job_queue.attempt_count > job_queue.refunded_count or job_queue.interrupted_count > 0 then 'retry_wait'
      else 'queued'
    end`;
}

/**
 * Jobs as people see them, for `from (${jobStates(sql)}) as job`. A job is over when it is no longer queued; how it
 * ended is said by its cancellation or by its last attempt. Queueing it again clears the cancellation; a job that has
 * succeeded is never queued again.
 */
export function jobStates(sql: Queryable): SqlFragment {
  return sql`
    select
      jobs.id, jobs.job_type, jobs.queue, jobs.priority, jobs.payload, jobs.execution_mode, jobs.idempotency_key,
      jobs.max_attempts::int, jobs.created_by, jobs.created_by_user_id, jobs.request_id, jobs.created_at,
      case
        when job_queue.job_id is not null then ${queueState(sql)}
        when jobs.cancelled_at is not null then 'cancelled'
        when last_attempt.status = 'succeeded' then 'succeeded'
        else 'failed'
      end as status,
      coalesce(job_queue.attempt_count, last_attempt.attempt_number, 0)::int as attempt_count,
      coalesce(job_queue.due_at, last_attempt.started_at, jobs.created_at) as next_run_at,
      job_queue.progress,
      job_queue.started_at,
      workers.name as lease_owner,
      workers.lease_expires_at,
      coalesce(last_attempt.result, '{}') as result,
      last_attempt.error_text,
      last_attempt.error_code,
      greatest(
        jobs.created_at, jobs.cancelled_at, last_attempt.finished_at, job_queue.started_at,
        case when job_queue.due_at <= now() then job_queue.due_at end
      ) as updated_at
    from jobs
    left join job_queue on job_queue.job_id = jobs.id
    left join workers on workers.id = job_queue.worker_id
    left join lateral (
      select attempt_number, status, result, error_text, error_code, started_at, finished_at
      from job_attempts
      where job_attempts.job_id = jobs.id
      order by attempt_number desc
      limit 1
    ) as last_attempt on true`;
}
