import { beforeAll, expect, test, vi } from 'vitest';
import { useApp } from '../../../test/support/app.ts';
import { useDatabase } from '../../../test/support/database.ts';
import { createReader, type Reader } from '../../../test/support/libraries.ts';
import { saveReady } from '../../../test/support/saved-media.ts';

const database = useDatabase();
const { sql } = database;
const app = useApp(database);
let reader: Reader;
beforeAll(async () => {
  reader = await createReader(app);
});

/** Runs a periodic job once, with all jobs that it queues. */
async function run(name: string): Promise<void> {
  await sql`insert into job_schedules (name) values (${name}) on conflict (name) do update set next_run_at = now()`;
  const worker = await app.engine.work({ concurrency: 2, pollSeconds: 0.1, graceSeconds: 5 });
  await vi.waitFor(async () => {
    const [ran] = await sql`
      select
      from job_schedules
      join job_attempts on job_attempts.job_id = job_schedules.last_job_id
      where name = ${name} and status = 'succeeded' and next_run_at > now()`;
    expect(ran).toBeDefined();
    expect(await sql`select from job_queue`).toHaveLength(0);
  }, 30_000);
  await worker.stop();
}

const settle = (id: string) =>
  sql`update media set processing_completed_at = now() - interval '1 hour' where id = ${id}`;

test('a document that missed its projection is found and projected, without an operator', async () => {
  const id = await saveReady(sql, reader, { texts: ['Ada Lovelace wrote to Charles Babbage in London.'] });
  await settle(id);
  await run('missed_projections');
  expect(await sql`select from document_graph where media_id = ${id}`).toHaveLength(1);
});

test('a document whose indexing failed is indexed again; a cancelled one is left alone', async () => {
  const [failed, cancelled] = [
    await saveReady(sql, reader, { texts: ['a lantern'] }),
    await saveReady(sql, reader, { texts: ['a lantern'] }),
  ];
  const [job] = await sql<{ id: string }[]>`
    insert into jobs (id, job_type, queue, cancelled_at)
    values (gen_random_uuid(), 'embed_media', 'ingest', now())
    returning id`;
  await sql`delete from media_search where media_id in (${failed}, ${cancelled})`;
  await sql`
    update media
    set processing_status = 'failed', failure_stage = 'embed', last_error_code = 'E_EXTRACTION_FAILED',
        last_error_message = 'No.', failed_at = now() - interval '2 hours',
        job_id = case when id = ${cancelled} then ${job?.id}::uuid end
    where id in (${failed}, ${cancelled})`;
  await run('missed_indexing');
  const rows =
    await sql`select id, processing_status from media where id in (${failed}, ${cancelled}) order by id`;
  expect([...rows]).toEqual([
    { id: failed, processing_status: 'ready' },
    { id: cancelled, processing_status: 'failed' },
  ]);
});
