import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import { beforeAll, expect, test, vi } from 'vitest';
import { DEV_KEYS } from '../support/call.ts';
import { makePage } from '../support/fixtures/pages.ts';
import { useChromium } from './chromium.ts';
import { LOOKS, OUT } from './looks.ts';
import { useNexus } from './nexus.ts';
import { signIn } from './person.ts';

const nexus = useNexus((request, response) => {
  const answers: [string, number, string][] = [
    ['/hook', 204, ''],
    ['/broken', 500, '{"error":"the database is down"}'],
    ['/gone', 404, ''],
    ['/busy', 503, ''],
  ];
  const [, status, body] = answers.find(([prefix]) => request.url?.startsWith(prefix)) ?? [];
  if (status) return void response.writeHead(status).end(body);
  response.setHeader('content-type', 'text/html; charset=utf-8');
  response.end(makePage({ title: `Page ${request.url}` }));
});
const chromium = useChromium();
const key = DEV_KEYS.admin;
const pages: Record<string, string> = {};

beforeAll(async () => {
  await mkdir(OUT, { recursive: true });
  const post = async (route: string, body?: unknown) =>
    (await nexus.call('POST', route, { key, ...(body !== undefined && { body }) })).body;
  const firstId = async (query: string) =>
    (await nexus.call('GET', `/api/v1/jobs?${query}`, { key })).body.data[0]?.job_id;
  await post('/api/v1/webhooks', { url: `${nexus.site.url}/hook` });
  const { data: webhook } = await post('/api/v1/webhooks', {
    url: `${nexus.site.url}/broken`,
    event_types: ['media.ready'],
  });
  const paths = [...Array(12).fill('good'), ...Array(5).fill('gone'), ...Array(3).fill('busy')];
  for (const [n, path_] of paths.entries()) {
    await post('/api/v1/media', { url: `${nexus.site.url}/${path_}/${n}` });
  }
  await post('/api/v1/jobs/submit', { job_type: 'integrity_audit' });
  await writeHistory();
  await vi.waitUntil(() => firstId('error_code=E_SITE_ERROR'), { timeout: 20_000 });
  Object.assign(pages, {
    overview: 'overview',
    jobs: 'jobs',
    failures: 'jobs?view=failures',
    job: `jobs/${await firstId('error_code=E_SITE_ERROR')}`,
    webhook: `webhooks/${webhook.id}`,
    outbox: 'outbox',
    integrity: 'integrity',
    audit: 'audit',
    people: 'people',
  });
});

test.each(LOOKS)('$name', async ({ name: look, ...screen }) => {
  const page = await chromium.open(screen);
  await signIn(page, nexus, key);
  for (const [name, route] of Object.entries(pages)) {
    await page.goto(`${nexus.url}/app/console/${route}`);
    await page.getByRole('heading', { level: 1 }).waitFor();
    await expect.poll(() => page.locator('.skeleton').count()).toBe(0);
    const file = path.join(OUT, `console-${name}-${look}.jpg`);
    await page.screenshot({ path: file, type: 'jpeg', quality: 72 });
  }
});

/** Inserts an hour of finished jobs for the charts. */
async function writeHistory(): Promise<void> {
  await nexus.database.sql`
    with attempt as (
      select
        gen_random_uuid() as id, now() - n * interval '2 seconds' as at, random() as size,
        case when random() < 0.05 then 'failed' else 'succeeded' end as status,
        case when n % 3 = 0 then 'default' else 'ingest' end as queue
      from generate_series(1, 1700) as n
      where random() < 0.6 + 0.4 * sin(n / 150.0)
    ),
    job as (
      insert into jobs (id, job_type, queue, created_at) select id, 'ingest_media', queue, at from attempt
    )
    insert into job_attempts (
      job_id, attempt_number, status, error_text, error_code, worker, queue, due_at, started_at, finished_at, runtime_ms
    )
    select
      id, 1, status, case status when 'failed' then 'The page is empty.' end,
      case status when 'failed' then 'E_NO_CONTENT' end, 'reader-1:412:7c1d20', queue,
      at - size * interval '300 ms', at, at + size * interval '1 second', 80 + size * 900
    from attempt`;
}
