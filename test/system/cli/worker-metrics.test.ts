import { expect, test } from 'vitest';
import { useApp } from '../../support/app.ts';
import { DEV_KEYS } from '../../support/call.ts';
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
  // Not `call`, which checks answers of the API.
  const get = (path: string) => fetch(url + path, { headers: { 'x-nexus-api-key': DEV_KEYS.admin } });
  await expect
    .poll(async () => (await get('/metrics/prometheus')).text(), { timeout: 30_000 })
    .toContain('nexus_job_duration_seconds_count{job_type="integrity_audit"} 1');
  const health = await Promise.all([get('/healthz'), get('/readyz')]);
  expect(await Promise.all(health.map((answer) => answer.json()))).toMatchObject([
    { status: 'ok' },
    { status: 'ready' },
  ]);
  expect((await (await get('/metrics')).json()).counters).toMatchObject({ 'outbox.failed_count': 0 });
  for (const path of ['/api/v1/jobs', '/media', '/app/']) expect((await get(path)).status, path).toBe(404);
  expect(await worker.stop('SIGTERM')).toBe(0);
});
