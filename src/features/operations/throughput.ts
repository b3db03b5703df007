import type { QueueThroughput, Throughput, ThroughputBucket } from '../../contract/jobs.ts';
import type { Database } from '../../platform/database/database.ts';
import { currentTime, measureThroughput } from '../../platform/jobs/read/throughput-store.ts';

/** The number of bars in a small chart. */
const BUCKETS = 60;
const MIN_BUCKET_SECONDS = 5;

const EMPTY_BUCKET = { finished: 0, failed: 0, wait_p50_ms: 0, wait_p95_ms: 0, run_p50_ms: 0, run_p95_ms: 0 };

/** Returns the throughput of the last minutes. Buckets have the same limits in every response. */
export async function readThroughput(sql: Database, minutes: number): Promise<Throughput> {
  const bucket_seconds = Math.max(MIN_BUCKET_SECONDS, (minutes * 60) / BUCKETS);
  const now = await currentTime(sql);
  const width = bucket_seconds * 1000;
  const last = Math.floor(now.getTime() / width) * width;
  const first = last - minutes * 60_000 + width;
  const times = Array.from({ length: (last - first) / width + 1 }, (_, index) => first + index * width);
  const rows = await measureThroughput(sql, new Date(first), bucket_seconds);
  const measured = new Map(rows.map(({ queue, at, ...figures }) => [`${queue} ${at?.getTime()}`, figures]));
  const queues = rows.flatMap(({ at, ...figures }): QueueThroughput[] => {
    if (at !== null) return [];
    const buckets = times.map((time): ThroughputBucket => {
      return { at: new Date(time), ...(measured.get(`${figures.queue} ${time}`) ?? EMPTY_BUCKET) };
    });
    return [{ ...figures, buckets }];
  });
  return { since: new Date(first), until: now, bucket_seconds, queues };
}
