import { expect, test } from 'vitest';
import { useApp } from '../../support/app.ts';
import { call, DEV_KEYS } from '../../support/call.ts';
import { useDatabase } from '../../support/database.ts';
import { startNexus } from '../../support/nexus-process.ts';

const database = useDatabase();
const app = useApp(database);

test('a worker with a port of its own exports the attempts that it ran, and serves nothing else', async () => {
  const submitted = await app.call('POST', '/api/v1/jobs/submit', {
    key: DEV_KEYS.operator,
    body: { job_type: 'integrity_audit', payload: {}, execution_mode: 'async' },
  });
  expect(submitted.status).toBe(200);
  const worker = startNexus(['worker', '--queues', 'default'], {
    env: { NEXUS_DATABASE_URL: database.url, NEXUS_METRICS_PORT: '0', NEXUS_LOG_LEVEL: 'info' },
  });
  const [, url = ''] = await worker.prints(/metrics are at (http:\/\/[^/]+)/);
  await worker.prints(/is ready/);
  await expect
    .poll(async () => (await call(url, 'GET', '/metrics/prometheus')).body, { timeout: 30_000 })
    .toContain('nexus_job_duration_seconds_count{job_type="integrity_audit"} 1');
  expect(await call(url, 'GET', '/healthz')).toMatchObject({ status: 200, body: { status: 'ok' } });
  expect(await call(url, 'GET', '/readyz')).toMatchObject({ status: 200, body: { status: 'ready' } });
  expect((await call(url, 'GET', '/metrics')).body.counters).toMatchObject({ 'outbox.failed_count': 0 });
  // Not `call`, which checks that the API answers as described.
  const headers = { 'x-nexus-api-key': DEV_KEYS.admin };
  for (const path of ['/api/v1/jobs', '/media', '/app/'])
    expect((await fetch(url + path, { headers })).status, path).toBe(404);
  expect(await worker.stop('SIGTERM')).toBe(0);
});
