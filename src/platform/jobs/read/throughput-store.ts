import type { QueueThroughput } from '../../../contract/jobs.ts';
import type { Queryable } from '../../database/database.ts';

/** Returns the database's time, by which attempts are written. */
export async function currentTime(sql: Queryable): Promise<Date> {
  const [clock] = await sql<[{ now: Date }]>`select now()`;
  return clock.now;
}

/**
 * Measures the attempts since a time, for each queue and each of its buckets; `at` is null for all of its buckets together.
 * Where a million attempts ended in a day, the last hour takes 0.2 to 0.4 seconds and the day four to seven.
 */
export async function measureThroughput(sql: Queryable, since: Date, bucketSeconds: number) {
  return sql<(Omit<QueueThroughput, 'buckets'> & { at: Date | null })[]>`
    select
      queue, at,
      count(*) as finished,
      count(*) filter (where status <> 'succeeded') as failed,
      coalesce(round(percentile_disc(0.5) within group (order by wait_ms)), 0) as wait_p50_ms,
      coalesce(round(percentile_disc(0.95) within group (order by wait_ms)), 0) as wait_p95_ms,
      percentile_disc(0.5) within group (order by runtime_ms) as run_p50_ms,
      percentile_disc(0.95) within group (order by runtime_ms) as run_p95_ms
    from (
      select
        queue,
        date_bin(${bucketSeconds} * interval '1 second', finished_at, 'epoch') as at,
        status,
        runtime_ms,
        greatest(0, extract(epoch from started_at - due_at)::float8 * 1000) as wait_ms
      from job_attempts
      where finished_at >= ${since} and queue is not null
    ) as attempt
    group by grouping sets ((queue, at), (queue))
    order by queue, at`;
}
