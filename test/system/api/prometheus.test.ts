import { expect, test } from 'vitest';
import { DEV_KEYS, useApp } from '../../support/app.ts';
import { useDatabase } from '../../support/database.ts';
import { createLibrary, createReader, join } from '../../support/libraries.ts';

const database = useDatabase();
const app = useApp(database);

/** The value of a series, by its name and the labels that it has at least. */
async function read(): Promise<(name: string, labels?: Record<string, string>) => number | undefined> {
  const { status, headers, body } = await app.call('GET', '/metrics/prometheus');
  expect(status).toBe(200);
  expect(headers.get('content-type')).toMatch(/^text\/plain; version=0\.0\.4/);
  const lines = String(body).split('\n');
  for (const line of lines) expect(line).toMatch(/^(#.*|[a-z_][\w]*(\{.*\})? \S+|)$/);
  return (name, labels = {}) => {
    const line = lines.find(
      (candidate) =>
        candidate.split(/[{ ]/)[0] === name &&
        Object.entries(labels).every(([label, value]) => candidate.includes(`${label}="${value}"`)),
    );
    return line === undefined ? undefined : Number(line.split(' ').at(-1));
  };
}

test('requests are counted by method, route and status, never by path', async () => {
  await app.call('GET', '/api/v1/me', { key: DEV_KEYS.viewer });
  await app.call('GET', '/api/v1/me');
  await app.call('GET', '/media/0198c1f2-0000-7000-8000-000000000000', { key: DEV_KEYS.viewer });
  await app.call('GET', '/nowhere/0198c1f2');
  const value = await read();
  expect(value('nexus_http_requests_total', { method: 'GET', route: '/api/v1/me', status: '200' })).toBe(1);
  expect(value('nexus_http_requests_total', { method: 'GET', route: '/api/v1/me', status: '401' })).toBe(1);
  expect(value('nexus_http_requests_total', { route: '/api/v1/media/:id', status: '404' })).toBe(1);
  expect(value('nexus_http_requests_total', { route: 'none', status: '404' })).toBe(1);
  expect(value('nexus_http_request_duration_seconds_count', { route: '/api/v1/me' })).toBe(2);
  const { body } = await app.call('GET', '/metrics/prometheus');
  expect(body).not.toContain('0198c1f2');
});

test('the backlogs, the pool and the event loop are measured', async () => {
  const value = await read();
  for (const name of [
    'nexus_outbox_pending',
    'nexus_outbox_oldest_pending_seconds',
    'nexus_backfill_pending',
    'nexus_backfill_pending_age_p95_seconds',
    'nexus_backfill_degraded',
    'nexus_webhook_deliveries_pending',
    'nexus_event_streams_open',
  ])
    expect(value(name), name).toBeGreaterThanOrEqual(0);
  expect(value('nexus_database_connections', { state: 'open' })).toBeGreaterThan(0);
  expect(value('nexus_database_connections', { state: 'waiting' })).toBe(0);
  expect(value('nexus_event_loop_delay_seconds_bucket', { le: '+Inf' })).toBeGreaterThanOrEqual(0);
  expect(value('nexus_process_pool', { pool: 'extractor', state: 'waiting' })).toBe(0);
  // Both clocks are this machine's.
  expect(Math.abs(value('nexus_clock_skew_seconds') ?? Number.NaN)).toBeLessThan(1);
  expect(value('nexus_disk_free_bytes')).toBeGreaterThan(0);
  expect(value('process_cpu_seconds_total')).toBeGreaterThan(0);
});

test('jobs that wait are counted by queue and status; those that ran here are timed', async () => {
  const [ana, ben] = [await createReader(app), await createReader(app)];
  // Joining queues a backfill; no worker runs here.
  await join(ana, await createLibrary(ana), ben);
  expect(await app.another({}).metrics.write()).toContain('nexus_jobs{queue="ingest",status="queued"} 1');
  const submitted = await app.call('POST', '/api/v1/jobs/submit', {
    key: DEV_KEYS.operator,
    body: { job_type: 'integrity_audit', payload: {}, execution_mode: 'sync' },
  });
  expect(submitted.status).toBeLessThan(300);
  const value = await read();
  expect(value('nexus_job_duration_seconds_count', { job_type: 'integrity_audit' })).toBe(1);
  expect(value('nexus_job_latency_seconds_count', { job_type: 'integrity_audit' })).toBe(1);
});
