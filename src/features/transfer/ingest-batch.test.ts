import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { createPerson, DEV_KEYS, failure, useApp } from '../../../test/support/app.ts';
import { useDatabase } from '../../../test/support/database.ts';
import { auditOf, createLibrary, createReader, join, type Reader } from '../../../test/support/libraries.ts';
import { startNexus } from '../../../test/support/nexus-process.ts';
import { newId } from '../../platform/ids.ts';

const database = useDatabase();
const { sql } = database;
const app = useApp(database);
let reader: Reader;
beforeAll(async () => {
  reader = await createReader(app);
});

/** After every test: each saved media has exactly one job, and the closure is exact. */
afterAll(async () => {
  expect(await auditOf(sql)).toEqual([]);
  expect(await sql`select id from media where job_id is null`).toHaveLength(0);
  expect(await sql`select media_id from media_jobs group by media_id having count(*) > 1`).toHaveLength(0);
});

/** An address without a server, in case a worker starts to fetch. */
const links = (name: string, count: number) =>
  Array.from({ length: count }, (_, n) => `http://127.0.0.1:9/${name}/${n}`);

async function submit(
  payload: object,
  { by = reader, ...more }: { by?: Reader; execution_mode?: string } = {},
) {
  const { status, body } = await by.post('/api/v1/jobs/submit', {
    job_type: 'ingest_batch',
    payload,
    priority: 9,
    ...more,
  });
  expect(status).toBe(200);
  return body.job_id as string;
}

const jobOf = async (id: string, by = reader) => (await by.get(`/api/v1/jobs/${id}`)).body;

const ingest = async (payload: object, by = reader) =>
  jobOf(await submit(payload, { by, execution_mode: 'sync' }), by);

const outcomes = ({ result }: { result: { items: { outcome: string }[] } }) =>
  result.items.map(({ outcome }) => outcome);

test('links saved in another program keep their date, but not a future one', async () => {
  const mover = await createReader(app);
  const old = '2012-05-01T10:00:00.000Z';
  const older = '2011-05-01T10:00:00.000Z';
  const urls = ['a', 'a#again', 'b', 'c', 'not a link'].map((name) =>
    name.includes(' ') ? name : `https://example.org/dated/${name}`,
  );
  const saved_at = [old, older, null, '2999-01-01T00:00:00Z', old];
  const job = await ingest({ urls, saved_at }, mover);
  expect(outcomes(job)).toEqual(['created', 'duplicate', 'created', 'created', 'invalid']);
  const { body } = await mover.get('/media?sort=added&order=asc');
  const [first, ...rest] = body.data;
  expect(first).toMatchObject({ canonical_url: urls[0], added_at: older });
  for (const { added_at } of rest) expect(Math.abs(Date.parse(added_at) - Date.now())).toBeLessThan(60_000);
  const { body: why } = await mover.get(`/media/${first.id}/provenance`);
  expect(why.data.saved_at).toBe(older);

  // Members get it at the time of the import.
  const library_id = await createLibrary(mover);
  await ingest({ urls: ['https://example.org/dated/shared'], saved_at: [old], library_id }, mover);
  const { body: shared } = await mover.get(`/media?library_id=${library_id}`);
  expect(Math.abs(Date.parse(shared.data[0].added_at) - Date.now())).toBeLessThan(60_000);

  // Saving it again does not change its date.
  await ingest({ urls: [urls[0]], saved_at: [null] }, mover);
  expect((await mover.get('/media?sort=added&order=asc')).body.data[0].added_at).toBe(older);
});

test.each([
  ['fewer dates than links', ['2012-05-01T10:00:00Z']],
  ['a date that is none', ['yesterday', null]],
  ['a date before all calendars', ['0000-01-01T00:00:00Z', null]],
])('%s are refused', async (_name, saved_at) => {
  const payload = { urls: ['https://example.org/x', 'https://example.org/y'], saved_at };
  const body = { job_type: 'ingest_batch', payload };
  const answer = await reader.post('/api/v1/jobs/submit', body);
  expect(answer).toMatchObject(failure(400, 'E_INVALID_REQUEST'));
  expect(answer.body.error.message).toContain('payload.saved_at');
});

describe('a batch', () => {
  test('returns the outcome of every link, in order', async () => {
    const known = await reader.post('/media/from_url', { url: 'https://example.org/known' });
    const urls = [
      'https://example.org/new',
      'https://example.org/known?utm_source=batch#top',
      'ftp://example.org/file',
      'https://example.org/new#again',
      'not a link',
      'https://youtu.be/abcdefghijk',
      'https://user:secret@example.org/',
    ];
    const job = await ingest({ urls });
    expect(job).toMatchObject({ status: 'succeeded' });
    expect(outcomes(job)).toEqual([
      'created',
      'duplicate',
      'invalid',
      'duplicate',
      'invalid',
      'created',
      'invalid',
    ]);
    const { items, ...summary } = job.result;
    expect(summary).toEqual({
      ingest_job_id: job.job_id,
      documents_ingested: 2,
      created: 2,
      duplicate: 2,
      invalid: 3,
    });
    expect(items[1]).toEqual({ url: urls[1], outcome: 'duplicate', media_id: known.body.data.media_id });
    expect(items[3].media_id).toBe(items[0].media_id);
    expect(items[2].error).toEqual({
      code: 'E_INVALID_URL',
      message: expect.stringMatching(/^The URL must .*\.$/),
    });
    expect(job.artifacts).toMatchObject([
      { artifact_type: 'ingest_batch_result', artifact_payload: { ...summary, is_complete: true } },
    ]);
    const { body } = await reader.get(`/media/${items[5].media_id}`);
    expect(body.data).toMatchObject({
      kind: 'video',
      provider_id: 'abcdefghijk',
      processing_status: 'pending',
    });
  });

  test('enqueues extraction in the same transaction, with a lower priority than single saves', async () => {
    const { result } = await ingest({ urls: links('queued', 3) });
    const ids = result.items.map(({ media_id }: { media_id: string }) => media_id);
    const queued = await sql`
      select jobs.job_type, job_queue.priority
      from media
      join jobs on jobs.id = media.job_id
      join job_queue on job_queue.job_id = jobs.id
      where media.id = any(${ids})`;
    expect([...queued]).toEqual(Array.from(ids, () => ({ job_type: 'ingest_media', priority: 4 })));
    const told = await sql`
      select from outbox_event where event_type = 'media.created' and aggregate_id = any(${ids}::text[])`;
    expect(told).toHaveLength(3);
  });

  test('that is repeated creates nothing twice', async () => {
    const urls = links('repeated', 250);
    expect((await ingest({ urls })).result).toMatchObject({ documents_ingested: 250 });
    expect((await ingest({ urls })).result).toMatchObject({ documents_ingested: 0, duplicate: 250 });
    const other = await createReader(app);
    expect((await ingest({ urls }, other)).result).toMatchObject({ documents_ingested: 0, duplicate: 250 });
    expect(
      await sql`select from default_library_intrinsics where default_library_id = ${other.defaultLibraryId}`,
    ).toHaveLength(250);
  });

  test('retries failed media', async () => {
    const { result } = await ingest({ urls: links('failed', 1) });
    const [{ media_id }] = result.items;
    await sql`delete from job_queue where job_id = (select job_id from media where id = ${media_id})`;
    await sql`delete from media_jobs where media_id = ${media_id}`;
    await sql`
      update media
      set processing_status = 'failed', failure_stage = 'extract', last_error_code = 'E_TIMEOUT',
          last_error_message = 'It took too long.', failed_at = now()
      where id = ${media_id}`;
    expect(outcomes(await ingest({ urls: links('failed', 1) }))).toEqual(['duplicate']);
    const [media] = await sql`
      select processing_status from media join job_queue using (job_id) where id = ${media_id}`;
    expect(media).toEqual({ processing_status: 'pending' });
  });

  test('and another in parallel, with the same links in another order, create each media once', async () => {
    const other = await createReader(app);
    const urls = links('at-once', 600);
    const jobs = await Promise.all([ingest({ urls }), ingest({ urls: urls.toReversed() }, other)]);
    expect(jobs.map(({ status }) => status)).toEqual(['succeeded', 'succeeded']);
    const created = jobs.map(({ result }) => result.documents_ingested);
    expect(created[0] + created[1]).toBe(600);
  });

  test.each<[string, object]>([
    ['no link', { urls: [] }],
    ['too many links', { urls: Array.from({ length: 10_001 }, () => 'x') }],
    ['something else', { urls: [1] }],
    ['NUL', { urls: ['https://example.org/\0'] }],
    ['half a character', { urls: ['https://example.org/\ud800'] }],
    ['no id of a library', { urls: ['x'], library_id: 'mine' }],
  ])('with %s is refused', async (_what, payload) => {
    expect(await reader.post('/api/v1/jobs/submit', { job_type: 'ingest_batch', payload })).toMatchObject(
      failure(400, 'E_INVALID_REQUEST'),
    );
  });

  test('of ten thousand of the longest links is accepted', { tags: 'slow' }, async () => {
    const urls = Array.from({ length: 10_000 }, (_, n) => `https://example.org/${n}/`.padEnd(2040, 'x'));
    const key = DEV_KEYS.viewer;
    expect(
      await app.call('POST', '/api/v1/jobs/submit', {
        key,
        body: { job_type: 'ingest_batch', payload: { urls } },
      }),
    ).toMatchObject(failure(403, 'E_FORBIDDEN'));
    const id = await submit({ urls });
    await reader.post(`/api/v1/jobs/${id}/cancel`);
    expect(await jobOf(id)).toMatchObject({ status: 'cancelled', artifacts: [] });
  });
});

describe('into a library', () => {
  test('lists everything there, also for its members', async () => {
    const member = await createReader(app);
    const library_id = await createLibrary(reader);
    await join(reader, library_id, member);
    await sql`update default_library_backfill_jobs set status = 'completed', finished_at = now()`;
    const { result } = await ingest({ urls: links('library', 120), library_id });
    expect(result.documents_ingested).toBe(120);
    const { body } = await member.get(`/libraries/${library_id}/media?limit=200`);
    expect(body.data).toHaveLength(120);
    expect((await member.get(`/media/${result.items[119].media_id}`)).status).toBe(200);
    const told =
      await sql`select from outbox_event where event_type = 'library.media_added' and aggregate_id = ${library_id}`;
    expect(told).toHaveLength(120);
  });

  test.each([
    ['a member', 'E_FORBIDDEN'],
    ['a stranger', 'E_LIBRARY_NOT_FOUND'],
  ])('by %s fails, and saves nothing', async (who, error_code) => {
    const [owner, other] = [await createReader(app), await createReader(app)];
    const library_id = await createLibrary(owner);
    if (who === 'a member') await join(owner, library_id, other);
    await sql`update default_library_backfill_jobs set status = 'completed', finished_at = now()`;
    const job = await ingest({ urls: links(`by ${who}`, 2), library_id }, other);
    expect(job).toMatchObject({ status: 'failed', error_code, artifacts: [] });
    expect(await sql`select from media where created_by_user_id = ${other.id}`).toHaveLength(0);
  });

  test('checks access when it runs, not when it was submitted', async () => {
    const [owner, admin] = [await createReader(app), await createReader(app)];
    const library_id = await createLibrary(owner);
    await join(owner, library_id, admin, 'admin');
    const id = await submit({ urls: links('later', 2), library_id }, { by: admin });
    await owner.patch(`/libraries/${library_id}/members/${admin.id}`, { role: 'member' });
    await sql`update default_library_backfill_jobs set status = 'completed', finished_at = now()`;
    const worker = await app.engine.work({
      queues: ['ingest'],
      concurrency: 1,
      pollSeconds: 60,
      graceSeconds: 5,
      maxJobs: 1,
    });
    await worker.stopped;
    expect(await jobOf(id, admin)).toMatchObject({ status: 'failed', error_code: 'E_FORBIDDEN' });
  });

  test('by somebody who was disabled since is refused', async () => {
    const { key, user } = await createPerson(app);
    const { body } = await app.call('POST', '/api/v1/jobs/submit', {
      key,
      body: { job_type: 'ingest_batch', payload: { urls: links('disabled', 1) }, priority: 9 },
    });
    await app.services.users.update(user.id, { is_enabled: false }, { name: 'test' });
    const worker = await app.engine.work({
      queues: ['ingest'],
      concurrency: 1,
      pollSeconds: 60,
      graceSeconds: 5,
      maxJobs: 1,
    });
    await worker.stopped;
    expect(await jobOf(body.job_id)).toMatchObject({ status: 'failed', error_code: 'E_FORBIDDEN' });
  });
});

/** Blocks saves of this link by holding an uncommitted insert of it. */
async function holdLink(url: string) {
  const holder = await sql.connect();
  await holder.query('begin');
  const { rows } = await holder.query('select pg_backend_pid() as pid');
  await holder.query(
    `insert into media (id, kind, title, created_by_user_id, canonical_url)
     values ($1, 'web_article', 'held', $2, $3)`,
    [newId(), reader.id, url],
  );
  return {
    /** Resolves when a save waits for it. */
    reached: () =>
      vi.waitFor(async () => {
        const waiting = await sql`
          select from pg_stat_activity
          where datname = current_database() and ${rows[0].pid} = any(pg_blocking_pids(pid))`;
        expect(waiting.length).toBeGreaterThan(0);
      }, 60_000),
    async letGo() {
      await holder.query('rollback');
      holder.release();
    },
  };
}

const startWorker = (...flags: string[]) =>
  startNexus(['worker', '--queues', 'ingest', ...flags], {
    env: {
      NEXUS_DATABASE_URL: database.url,
      NEXUS_WORKER_LEASE_SECONDS: '1',
      NEXUS_WORKER_POLL_SECONDS: '0.1',
    },
  });

const savedOf = (name: string) =>
  sql`select id from media where canonical_url like ${`http://127.0.0.1:9/${name}/%`}`;

describe('two thousand links', { timeout: 180_000 }, () => {
  test('cancelled in the middle: finished chunks are kept and reported, and a requeue continues', {
    tags: 'slow',
  }, async () => {
    const urls = links('cancelled', 2000);
    const held = await holdLink(urls[1100] as string);
    const id = await submit({ urls });
    const worker = startWorker('--once');
    await held.reached();
    expect(await jobOf(id)).toMatchObject({
      status: 'running',
      progress: { total: 2000, done: 1000, created: 1000, duplicate: 0, invalid: 0 },
    });
    expect((await reader.post(`/api/v1/jobs/${id}/cancel`)).body).toMatchObject({ status: 'cancelled' });
    await held.letGo();
    await worker.exited;
    const job = await jobOf(id);
    expect(job).toMatchObject({
      status: 'cancelled',
      artifacts: [
        {
          artifact_type: 'ingest_batch_result',
          artifact_payload: {
            ingest_job_id: id,
            documents_ingested: 1000,
            created: 1000,
            is_complete: false,
          },
        },
      ],
    });
    expect(job.artifacts[0].artifact_payload.items).toHaveLength(1000);
    expect(await savedOf('cancelled')).toHaveLength(1000);

    await reader.post(`/api/v1/jobs/${id}/requeue`);
    await startWorker('--once').exited;
    const ended = await jobOf(id);
    expect(ended).toMatchObject({
      status: 'succeeded',
      result: { documents_ingested: 2000, duplicate: 0 },
    });
    expect(ended.artifacts).toMatchObject([{ artifact_payload: { is_complete: true } }]);
    expect(await savedOf('cancelled')).toHaveLength(2000);
  });

  test('a worker killed in the middle: another continues after the last chunk', {
    tags: 'slow',
  }, async () => {
    const urls = links('killed', 2000);
    const held = await holdLink(urls[1555] as string);
    const id = await submit({ urls });
    const victim = startWorker('--once');
    await held.reached();
    await victim.stop('SIGKILL');
    await held.letGo();
    expect(await savedOf('killed')).toHaveLength(1400);
    // One job at a time, and the batch before the jobs that it enqueues.
    await sql`update job_queue set due_at = now() + interval '1 hour' where job_id <> ${id}`;
    const heir = startWorker('--concurrency', '1');
    await vi.waitFor(
      async () => {
        await sql`update job_queue set due_at = now() where job_id = ${id} and lease_token is null`;
        expect(await jobOf(id)).toMatchObject({ status: 'succeeded' });
      },
      { timeout: 200_000, interval: 100 },
    );
    expect(await heir.stop()).toBe(0);
    const job = await jobOf(id);
    expect(job).toMatchObject({ status: 'succeeded', result: { documents_ingested: 2000, duplicate: 0 } });
    expect(job.attempts.map(({ status }: { status: string }) => status)).toEqual([
      'interrupted',
      'succeeded',
    ]);
    expect(job.result.items.map(({ url }: { url: string }) => url)).toEqual(urls);
    expect(await savedOf('killed')).toHaveLength(2000);
  });
});
