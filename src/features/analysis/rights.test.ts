import { describe, expect, test, vi } from 'vitest';
import { saveDocument, workOff } from '../../../test/support/analysis-documents.ts';
import { createPerson, failure, useApp } from '../../../test/support/app.ts';
import { useDatabase } from '../../../test/support/database.ts';
import { HARBOUR } from '../../../test/support/fixtures/texts.ts';
import { createLibrary, createReader, join } from '../../../test/support/libraries.ts';
import { transaction } from '../../platform/database/transaction.ts';
import { addToDefaultLibrary } from '../libraries/closure/closure.ts';

const database = useDatabase();
const { sql } = database;
const app = useApp(database, { NEXUS_RAW_MODE_ENABLED: 'true' });

const analyze = (key: string, body: object) => app.call('POST', '/api/v1/analyze', { key, body });
const read = (key: string, path: string) => app.call('GET', `/api/v1/${path}`, { key });

describe('access is checked when the job runs', () => {
  test('access that is lost before the job starts fails it permanently, with a message', async () => {
    const reader = await createReader(app);
    const media_id = await saveDocument(sql, reader, HARBOUR);
    const { data } = (await analyze(reader.key, { media_id, execution_mode: 'async' })).body;
    expect((await reader.delete(`/media/${media_id}`)).status).toBe(204);
    await workOff(app);
    const job = await read(reader.key, `jobs/${data.job_id}`);
    expect(job.body).toMatchObject({ status: 'failed', attempt_count: 1, error_code: 'E_MEDIA_NOT_FOUND' });
    expect(job.body.error_text).toMatch(/can no longer read it/);
    expect(await sql`select from analysis_runs where document_id = ${media_id}`).toHaveLength(0);
  });

  test('somebody who loses a document loses its runs and their events', async () => {
    const [owner, member] = [await createReader(app), await createReader(app)];
    const library = await createLibrary(owner);
    const media_id = await saveDocument(sql, owner, HARBOUR);
    await owner.post(`/libraries/${library}/media`, { media_id });
    await join(owner, library, member);
    const { data } = (await analyze(owner.key, { media_id })).body;
    const paths = [`analysis/runs/${data.analysis_run_id}`, `analysis/runs?media_id=${media_id}`];
    const heard = async () =>
      JSON.stringify((await read(member.key, 'events?limit=200')).body).includes(data.analysis_run_id);
    for (const path of paths) expect((await read(member.key, path)).status).toBe(200);
    // An event is shown when no older transaction can still commit one, on the whole server.
    await vi.waitFor(async () => expect(await heard()).toBe(true), 30_000);
    await owner.delete(`/libraries/${library}/members/${member.id}`);
    for (const path of paths) expect((await read(member.key, path)).status).toBe(404);
    expect((await read(member.key, `${paths[0]}/shadow`)).status).toBe(404);
    expect(await heard()).toBe(false);
    expect((await read(owner.key, paths[0] ?? '')).status).toBe(200);
  });

  test('a run is visible to its author and to people who share a library with them that contains the document', async () => {
    const [author, member, stranger] = [
      await createReader(app),
      await createReader(app),
      await createReader(app),
    ];
    const media_id = await saveDocument(sql, author, HARBOUR);
    // Both saved the same address, and so have the same media.
    await transaction(sql, async (tx) => {
      for (const other of [member, stranger])
        await addToDefaultLibrary(tx, other.defaultLibraryId, [{ media_id }], {
          userId: other.id,
        });
    });
    const library = await createLibrary(author);
    await author.post(`/libraries/${library}/media`, { media_id });
    const { data } = (await analyze(author.key, { media_id })).body;
    const seen = async ({ key }: { key: string }) => {
      const [run, runs, shadow] = await Promise.all([
        read(key, `analysis/runs/${data.analysis_run_id}`),
        read(key, `analysis/runs?media_id=${media_id}`),
        read(key, `analysis/runs/${data.analysis_run_id}/shadow`),
      ]);
      return [
        run.status,
        runs.status,
        runs.body.data.length,
        shadow.body.error.message.includes('no shadow'),
      ];
    };
    const heard = async ({ key }: { key: string }) =>
      JSON.stringify((await read(key, 'events?limit=200')).body).includes(data.analysis_run_id);
    expect(await seen(author)).toEqual([200, 200, 1, true]);
    expect(await seen(stranger)).toEqual([404, 200, 0, false]);
    expect(await seen(member)).toEqual([404, 200, 0, false]);
    await vi.waitFor(async () => expect(await heard(author)).toBe(true), 30_000);
    expect(await heard(stranger)).toBe(false);
    await join(author, library, member);
    expect(await seen(member)).toEqual([200, 200, 1, true]);
    expect(await heard(member)).toBe(true);
    expect(await seen(stranger)).toEqual([404, 200, 0, false]);
    await author.delete(`/libraries/${library}/members/${member.id}`);
    expect(await seen(member)).toEqual([404, 200, 0, false]);
    expect(await heard(member)).toBe(false);
  });

  test('a job of a disabled person fails', async () => {
    const person = await createPerson(app);
    const media_id = await saveDocument(sql, person, HARBOUR);
    const { data } = (await analyze(person.key, { media_id, execution_mode: 'async' })).body;
    await app.services.users.update(person.user.id, { is_enabled: false }, { name: 'test' });
    await workOff(app);
    const [attempt] = await sql`select error_code from job_attempts where job_id = ${data.job_id}`;
    expect(attempt).toEqual({ error_code: 'E_FORBIDDEN' });
  });

  test('a job without RAW rights any more fails', async () => {
    const person = await createPerson(app, { raw: true });
    const media_id = await saveDocument(sql, person, HARBOUR);
    const { data } = (await analyze(person.key, { media_id, mode: 'RAW', execution_mode: 'async' })).body;
    await app.services.users.update(person.user.id, { role: 'operator' }, { name: 'test' });
    await workOff(app);
    const [attempt] = await sql`select error_code from job_attempts where job_id = ${data.job_id}`;
    expect(attempt).toEqual({ error_code: 'E_MODE_FORBIDDEN' });
  });

  test('deleting a document deletes its runs', async () => {
    const person = await createPerson(app);
    const media_id = await saveDocument(sql, person, HARBOUR);
    const { data } = (await analyze(person.key, { media_id })).body;
    await sql`delete from media where id = ${media_id}`;
    expect(await read(person.key, `analysis/runs/${data.analysis_run_id}`)).toMatchObject(
      failure(404, 'E_NOT_FOUND'),
    );
    expect(await sql`select from analysis_layers where run_id = ${data.analysis_run_id}`).toHaveLength(0);
  });
});
