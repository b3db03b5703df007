import { beforeAll, describe, expect, test } from 'vitest';
import { newId } from '../../../src/platform/ids.ts';
import { createPerson, DEV_KEYS, failure, useApp } from '../../support/app.ts';
import { useDatabase } from '../../support/database.ts';
import { openStream } from '../../support/event-stream.ts';
import { createLibrary, createReader, join, type Reader } from '../../support/libraries.ts';
import { saveReady } from '../../support/saved-media.ts';

/** A word in every text of the victim's work. */
const CANARY = 'canary-7f3a';

const database = useDatabase();
const { sql } = database;
const app = useApp(database);

const ids: Record<string, string> = {};
const keys: Record<string, string> = {};
let victim: Reader;

beforeAll(async () => {
  victim = await createReader(app);
  const friend = await createReader(app);
  ids.library = await createLibrary(victim, CANARY);
  ids.media = await saveReady(sql, victim, { title: CANARY, author: CANARY, site: CANARY, texts: [CANARY] });
  await victim.post(`/libraries/${ids.library}/media`, { media_id: ids.media });
  await join(victim, ids.library, friend);
  ids.user = victim.id;
  ids.running = await submit('running');
  ids.failed = await submit('failed');
  ids.audit = await submit('audit', { job_type: 'integrity_audit', payload: {} });
  await runWithCanary(ids.running);
  await endWithCanary(ids.failed, 'failed');
  await endWithCanary(ids.audit, 'succeeded');
  await sql`
    insert into integrity_findings (job_id, attempt, kind, finding)
    values (${ids.audit}, 1, 'file_missing', ${JSON.stringify({ path: CANARY })})`;
  await failOutboxEvents();
  const [event] = await sql`select id from outbox_event where event_type = 'library.created'`;
  ids.event = event?.id;
  for (const role of ['operator', 'researcher'] as const)
    keys[role] = (await createPerson(app, { role })).key;
});

/** Submits a job with the canary in every field. */
async function submit(name: string, body: object = {}): Promise<string> {
  const answer = await app.call('POST', '/api/v1/jobs/submit', {
    key: victim.key,
    headers: { 'x-request-id': CANARY },
    body: {
      job_type: 'ingest_batch',
      payload: { urls: [`https://example.org/${CANARY}`] },
      idempotency_key: `${CANARY}-${name}`,
      ...body,
    },
  });
  expect(answer.status).toBe(200);
  return answer.body.job_id;
}

/** Puts a job into the state of a running one, with progress and a checkpoint. */
async function runWithCanary(id: string): Promise<void> {
  await sql`
    update job_queue
    set attempt_count = 1, lease_token = ${newId()}, worker_id = ${newId()}, started_at = now(),
      progress = ${JSON.stringify({ note: CANARY })}
    where job_id = ${id}`;
  await sql`
    insert into job_artifacts (id, job_id, artifact_type, artifact_ref, artifact_payload)
    values (${newId()}, ${id}, 'ingest_batch_result', ${CANARY}, ${JSON.stringify({ items: [CANARY] })})`;
}

async function endWithCanary(id: string, status: 'failed' | 'succeeded'): Promise<void> {
  const isFailed = status === 'failed';
  await sql`delete from job_queue where job_id = ${id}`;
  await sql`
    insert into job_attempts (
      job_id, attempt_number, status, result, error_text, error_code, worker, queue, due_at, started_at, runtime_ms
    )
    values (
      ${id}, 1, ${status}, ${JSON.stringify({ note: CANARY })}, ${isFailed ? CANARY : null},
      ${isFailed ? 'E_TIMEOUT' : null}, 'worker-1', 'ingest', now(), now(), 1
    )`;
}

async function failOutboxEvents(): Promise<void> {
  await sql`update outbox_event set request_id = ${CANARY}, error_message = ${CANARY}`;
  await sql`
    update outbox_event
    set status = 'failed', attempts = 5, next_attempt_at = null
    where event_type = 'library.created'`;
  await sql`
    insert into outbox_delivery (event_id, subscriber, attempts, error_message)
    select id, 'graph', 1, ${CANARY} from outbox_event
    on conflict do nothing`;
}

const FILLED = ['id', 'idx', 'job_id', 'user_id', 'media_id', 'delivery_id', 'name'];

/** The paths of all GET routes, with the victim's ids as parameters. */
function pathsOf(url: string): string[] {
  const parameters = [...url.matchAll(/:(\w+)/g)].map(([, name = '']) => name);
  if (parameters.length === 0) return [url];
  expect(FILLED).toEqual(expect.arrayContaining(parameters));
  return Object.values(ids).map((id) => url.replace(':idx', '0').replaceAll(/:\w+/g, id));
}

describe.each(['operator', 'researcher'])('a %s reads, of the work of others,', (role) => {
  const call = (method: string, path: string, body?: unknown) =>
    app.call(method, path, { key: keys[role], body });

  test('no text on any route', { tags: 'slow' }, async () => {
    const reading = app.routes.filter(({ method, url }) => method === 'GET' && !url.includes('*'));
    for (const path of reading.flatMap(({ url }) => pathsOf(url))) {
      const { status, body } = await call('GET', path);
      expect(status, path).toBeLessThan(500);
      // A 404 repeats the path, which holds no canary.
      expect({ path, answer: JSON.stringify(body) }).not.toEqual({
        path,
        answer: expect.stringContaining(CANARY),
      });
    }
  });

  test('the state, the type, the code and the times of a job', async () => {
    const { body } = await call('GET', `/api/v1/jobs/${ids.failed}`);
    expect(body).toMatchObject({
      job_type: 'ingest_batch',
      status: 'failed',
      error_code: 'E_TIMEOUT',
      created_by: victim.user.username,
      attempts: [{ attempt_number: 1, status: 'failed', error_code: 'E_TIMEOUT', error_text: null }],
      payload: {},
      result: {},
      progress: null,
      error_text: null,
      idempotency_key: null,
      request_id: null,
      artifacts: [],
    });
  });

  test('failures by type and code, without their messages', async () => {
    const { body } = await call('GET', '/api/v1/jobs/failures');
    expect(body.data).toMatchObject([
      {
        job_type: 'ingest_batch',
        error_code: 'E_TIMEOUT',
        error_text: null,
        failure_id: null,
        failed_count: 1,
      },
    ]);
  });

  test('nothing by guessing words of errors', async () => {
    const admin = await app.call('GET', '/api/v1/jobs/failures', { key: DEV_KEYS.admin });
    const [{ failure_id }] = admin.body.data;
    for (const query of [`error=${CANARY}`, `failure_id=${failure_id}`]) {
      const asAdmin = await app.call('GET', `/api/v1/jobs?${query}`, { key: DEV_KEYS.admin });
      expect(asAdmin.body.jobs).toHaveLength(1);
      expect((await call('GET', `/api/v1/jobs?${query}`)).body.jobs).toEqual([]);
    }
    for (const filter of [{ error: CANARY }, { failure_id }]) {
      const answer = await call('POST', '/api/v1/jobs/requeue', { filter });
      expect(answer).toMatchObject({ status: 200, body: { data: { changed: 0, unchanged: 0 } } });
    }
    const byCode = await call('GET', '/api/v1/jobs?error_code=E_TIMEOUT');
    expect(byCode.body.jobs).toMatchObject([{ job_id: ids.failed, error_text: null }]);
  });

  test('no findings of an audit that somebody else started', async () => {
    expect(await call('GET', `/api/v1/jobs/${ids.audit}/findings`)).toMatchObject(
      failure(403, 'E_FORBIDDEN'),
    );
  });

  test('events without their data', async () => {
    const { body } = await call('GET', `/api/v1/outbox/events/${ids.event}`);
    expect(body.data).toMatchObject({
      event_type: 'library.created',
      status: 'failed',
      attempts: 5,
      payload: {},
      error_message: null,
      request_id: null,
      deliveries: [{ subscriber: 'graph', error_message: null }],
    });
  });

  test('backfills without the name of the library', async () => {
    const { body } = await call('GET', '/api/v1/backfill-jobs');
    expect(body.data).toMatchObject([{ status: 'pending', source_library_name: null }]);
  });

  test('no text in the answers to operators’ actions', async () => {
    const answers = [
      await call('POST', `/api/v1/jobs/${ids.failed}/requeue`),
      await call('POST', `/api/v1/jobs/${ids.failed}/cancel`),
      await call('POST', '/api/v1/jobs/requeue', { job_ids: [ids.failed] }),
      await call('POST', '/api/v1/jobs/cancel', { filter: { job_type: 'ingest_batch', status: 'queued' } }),
      await call('POST', `/api/v1/outbox/events/${ids.event}/retry`),
    ];
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200]);
    expect(JSON.stringify(answers.map(({ body }) => body))).not.toContain(CANARY);
    await sql`delete from job_queue where job_id = ${ids.failed ?? ''}`;
    await sql`update jobs set cancelled_at = null where id = ${ids.failed ?? ''}`;
    await failOutboxEvents();
  });

  test('no event of their jobs, in the feed or on the stream', async () => {
    const stream = await openStream(app.url, keys[role] ?? '');
    const mine = await app.call('POST', '/api/v1/jobs/submit', {
      key: keys[role],
      body: { job_type: 'ingest_batch', payload: { urls: ['https://example.org/'] } },
    });
    const theirs = await submit(`cancelled-${role}`);
    await app.call('POST', `/api/v1/jobs/${theirs}/cancel`, { key: DEV_KEYS.admin });
    await app.call('POST', `/api/v1/jobs/${mine.body.job_id}/cancel`, { key: DEV_KEYS.admin });
    const [heard] = await stream.has(1);
    expect(heard?.event.data.job_id).toBe(mine.body.job_id);
    stream.close();
    const { body } = await call('GET', '/api/v1/events?limit=200');
    expect(body.data.map(({ data }: { data: { job_id: string } }) => data.job_id)).toEqual([
      mine.body.job_id,
    ]);
  });
});

test('an admin and the owner read all of it', async () => {
  for (const key of [DEV_KEYS.admin, victim.key]) {
    const { body } = await app.call('GET', `/api/v1/jobs/${ids.running}`, { key });
    expect(body).toMatchObject({
      payload: { urls: [`https://example.org/${CANARY}`] },
      progress: { note: CANARY },
      idempotency_key: `${CANARY}-running`,
      request_id: CANARY,
      artifacts: [{ artifact_ref: CANARY }],
    });
    const findings = await app.call('GET', `/api/v1/jobs/${ids.audit}/findings`, { key });
    expect(findings.body.data).toEqual([{ kind: 'file_missing', path: CANARY }]);
    const backfills = await app.call('GET', '/api/v1/backfill-jobs', { key });
    expect(backfills.body.data).toMatchObject([{ source_library_name: CANARY }]);
  }
});
