import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import type { Worker } from '../../../src/platform/jobs/worker.ts';
import { createPerson, useApp } from '../../support/app.ts';
import { append, fork, insert, replay } from '../../support/branches.ts';
import { useDatabase } from '../../support/database.ts';
import { openStream, type StreamReader } from '../../support/event-stream.ts';
import { makePage } from '../../support/fixtures/pages.ts';
import { startSite } from '../../support/internet.ts';
import { createReader, type Reader } from '../../support/libraries.ts';
import { startReceiver } from '../../support/webhook-receiver.ts';

/** A word in documents, their titles and their branches that PUBLIC mode hides. */
const SECRET = 'xylophone';
const holdsSecret = (value: unknown) => JSON.stringify(value).toLowerCase().includes(SECRET);

const site = await startSite((request, response) => {
  if (request.url === '/broken') return void response.writeHead(500).end(`<p>${SECRET}</p>`);
  const body = makePage({
    title: `The ${SECRET} of ${request.url}`,
    article: `<p>It was then that we met Doctor Xylophone with his ${SECRET}. <a href="/b">The other</a></p>`,
  });
  response.writeHead(200, { 'content-type': 'text/html' }).end(body);
});
const receiver = await startReceiver();

const database = useDatabase();
const { sql } = database;
const app = useApp(database, {
  NEXUS_EGRESS_ALLOW: '127.0.0.1/32',
  NEXUS_BLOCKED_TERMS: SECRET,
  NEXUS_SHADOW_EXECUTION_ENABLED: 'true',
});

let admin: string;
let reader: Reader;
let documentId: string;
let branchId: string;
let worker: Worker;
let stream: StreamReader;

/** Runs every operation on documents that contain the word. */
beforeAll(async () => {
  admin = (await createPerson(app, { role: 'admin' })).key;
  reader = await createReader(app);
  const url = receiver.site.url;
  await app.call('POST', '/api/v1/webhooks', { key: admin, body: { url, event_types: [] } });
  stream = await openStream(app.url, reader.key);
  worker = await app.engine.work({ concurrency: 2, pollSeconds: 0.2, graceSeconds: 5 });

  const urls = ['/a', '/b', '/broken'].map((path) => `${site.url}${path}`);
  await submit('ingest_batch', { urls: [...urls, 'not a link'] });
  await vi.waitFor(async () => {
    const { body } = await reader.get('/media?status=ready');
    expect(body.data).toHaveLength(2);
    documentId = body.data[0].id;
    expect((await reader.get(`/media/${documentId}/related`)).body.data).toHaveLength(1);
  }, 60_000);
  expect(holdsSecret((await reader.get('/media')).body)).toBe(true);

  await reader.post('/api/v1/analyze', { media_id: documentId, execution_mode: 'shadow' });
  branchId = (await fork(reader, { media_id: documentId })).id;
  await append(reader, branchId, 0, [insert(0, `A ${SECRET}! `), insert(0, 'xylo'), insert(4, 'phone ')]);
  await sql`update branch_events set text = ${SECRET} where branch_id = ${branchId} and position = 2`;
  expect((await replay(reader, branchId)).error_code).toBe('E_BRANCH_DAMAGED');
  await sql`update media_fragments set canonical_text = ${SECRET} where media_id = ${documentId}`;
  const audit = await submit('integrity_audit', { repair: true }, admin);
  expect(audit.result.counts).toMatchObject({ fragment_text_differs: 1, branch_event_altered: 1 });
  await blockedAnalysis();
  await vi.waitFor(async () => {
    const waiting = await sql`select from job_queue where queue in ('default', 'ingest') and due_at <= now()`;
    expect(waiting).toHaveLength(0);
    const untold = await sql`select from outbox_event where status = 'pending'`;
    expect(untold).toHaveLength(0);
  }, 60_000);
}, 180_000);

afterAll(async () => {
  stream?.close();
  await worker?.stop();
});

async function submit(job_type: string, payload: object, key = reader.key) {
  const body = { job_type, payload, execution_mode: 'sync' };
  const { body: submitted } = await app.call('POST', '/api/v1/jobs/submit', { key, body });
  return (await app.call('GET', `/api/v1/jobs/${submitted.job_id}`, { key })).body;
}

/** Runs `work` under a policy that withholds the whole document. */
async function blockedAnalysis(): Promise<void> {
  const policies = '/api/v1/governance/policies';
  const body = { name: 'Nothing of that', action: 'block', terms: [SECRET] };
  const made = await app.call('POST', policies, { key: admin, body });
  const analysed = await reader.post('/api/v1/analyze', { media_id: documentId });
  expect(analysed.body.data.error_code).toBe('E_GOVERNANCE_BLOCKED');
  expect(holdsSecret(analysed.body)).toBe(false);
  await app.call('DELETE', `${policies}/${made.body.data.id}`, { key: admin });
}

const idsOf = async (table: string) => {
  const client = await sql.connect();
  const { rows } = await client.query(`select id from ${table}`);
  client.release();
  return rows.map(({ id }) => id as string);
};

/** The values of path parameters, by the beginning of the route. */
const IN_PLACE_OF: Record<string, () => Promise<string[]>> = {
  '/api/v1/analysis/runs/:id': () => idsOf('analysis_runs'),
  '/api/v1/branches/:id': async () => [branchId],
  '/api/v1/jobs/:job_id': () => idsOf('jobs'),
  '/api/v1/outbox/events/:id': () => idsOf('outbox_event'),
  '/api/v1/webhooks/:id/deliveries/:delivery_id': () => idsOf('webhook_deliveries'),
  '/api/v1/webhooks/:id': () => idsOf('webhooks'),
  '/api/v1/users/:id': () => idsOf('users'),
  '/api/v1/api-keys/:id': () => idsOf('api_keys'),
  '/api/v1/me/api-keys/:id': () => idsOf('api_keys'),
};
const QUERIES: Record<string, () => string> = {
  '/api/v1/analysis/runs': () => `?media_id=${documentId}`,
  '/api/v1/branches': () => `?media_id=${documentId}`,
  '/api/v1/people': () => '?prefix=person',
  '/api/v1/branches/:id/text': () => '?position=1',
  '/api/v1/branches/:id/compare': () => '?from=0&to=1',
};

async function addressesOf(url: string): Promise<string[]> {
  const query = QUERIES[url]?.() ?? '';
  if (!url.includes(':')) return [url + query];
  const [route, ids] = Object.entries(IN_PLACE_OF).find(([begin]) => url.startsWith(begin)) ?? [];
  if (!route || !ids) throw new Error(`Say in IN_PLACE_OF what to call ${url} with.`);
  const [webhook = ''] = await idsOf('webhooks');
  const last = route.slice(route.lastIndexOf(':'));
  return (await ids()).map((id) => url.replace(last, id).replace(':id', webhook) + query);
}

/** The routes that show readers their own documents. Policies do not hide those from them. */
const OF_READERS =
  /^\/api\/v1\/(media|highlights|libraries|replies|rules|saved-searches|search|tags|trash)(\/|$)/;

test('no route of the platform API returns the word to a caller without RAW rights', {
  tags: 'slow',
}, async () => {
  // Policies show admins the words that they hide.
  const routes = app.routes.filter(
    ({ method, url }) =>
      method === 'GET' &&
      url.startsWith('/api/v1/') &&
      !OF_READERS.test(url) &&
      !url.startsWith('/api/v1/governance/policies'),
  );
  const answered = new Set<string>();
  for (const { url } of routes) {
    for (const address of await addressesOf(url)) {
      for (const key of [admin, reader.key]) {
        const { status, body } = await app.call('GET', address, { key });
        expect.soft(holdsSecret(body), address).toBe(false);
        if (status === 200) answered.add(url);
        else expect.soft([403, 404], `${address} ${JSON.stringify(body)}`).toContain(status);
      }
    }
  }
  // A route that never answers proves nothing.
  expect(routes.map(({ url }) => url).filter((url) => !answered.has(url))).toEqual([]);
});

test('no event, webhook delivery or table about work contains the word', async () => {
  expect(receiver.received.length).toBeGreaterThan(5);
  expect(holdsSecret(receiver.received)).toBe(false);
  expect(stream.events.length).toBeGreaterThan(5);
  expect(holdsSecret(stream.events)).toBe(false);
  const client = await sql.connect();
  for (const table of [
    'jobs',
    'job_attempts',
    'job_artifacts',
    'outbox_event',
    'webhook_deliveries',
    'integrity_findings',
    'analysis_layers',
  ]) {
    const { rows } = await client.query(`select * from ${table}`);
    expect(rows.length, table).toBeGreaterThan(0);
    expect(holdsSecret(rows), table).toBe(false);
  }
  const { rows: log } = await client.query('select * from audit_logs');
  client.release();
  expect(log.map(({ action }) => action)).toContain('governance.decided');
  expect(holdsSecret(log)).toBe(false);
});

test.each<[string, string, unknown]>([
  ['POST', '/api/v1/governance/evaluate', { text: [SECRET], mode: SECRET }],
  ['POST', '/api/v1/governance/evaluate', { text: `${SECRET} `.repeat(20_000) }],
  ['POST', '/api/v1/governance/evaluate', `{"text": "${SECRET}`],
  ['POST', '/api/v1/branches/BRANCH/events', { after: 3, events: [{ kind: 'insert', text: SECRET }] }],
  ['POST', '/api/v1/branches/BRANCH/events', { after: 0, events: [insert(0, SECRET)] }],
  ['POST', '/api/v1/branches/BRANCH/events', { after: 3, events: [insert(9_999_999, SECRET)] }],
  ['POST', '/api/v1/jobs/submit', { job_type: 'analyze', payload: { media_id: SECRET } }],
  ['POST', '/api/v1/jobs/submit', { job_type: 'analyze', payload: { document_id: SECRET } }],
  ['POST', '/api/v1/jobs/submit', { job_type: 'ingest_batch', payload: { urls: SECRET } }],
])('%s %s: an error does not repeat what was sent: %j', async (method, path, body) => {
  const answer = await app.call(method, path.replace('BRANCH', branchId), {
    key: reader.key,
    body,
    headers: { 'content-type': 'application/json' },
  });
  expect([400, 409, 413]).toContain(answer.status);
  expect(holdsSecret(answer.body)).toBe(false);
});
