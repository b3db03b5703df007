import { mkdir, readdir, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, test, vi } from 'vitest';
import { DEV_KEYS, useApp } from '../../../test/support/app.ts';
import { runCommand } from '../../../test/support/command.ts';
import { useDatabase } from '../../../test/support/database.ts';
import { createReader, saveEpisode } from '../../../test/support/libraries.ts';
import { newDirectory } from '../../../test/support/workspace.ts';
import { verifyBackup } from '../../platform/backup/verify.ts';
import { findJob } from '../../platform/jobs/read/store.ts';
import { deleteOldBackups } from './scheduled-backups.ts';

const parent = await newDirectory('backups');
const directory = path.join(parent, 'nexus');
const variables = { NEXUS_BACKUP_DIR: directory, NEXUS_BACKUP_EVERY_HOURS: '12', NEXUS_BACKUP_KEEP: '2' };
const database = useDatabase();
const { sql } = database;
const app = useApp(database, variables);

const doctor = async () =>
  (await runCommand(['doctor'], { ...variables, NEXUS_DATABASE_URL: database.url })).stdout;

const scrape = async () =>
  String((await app.call('GET', '/metrics/prometheus', { key: DEV_KEYS.admin })).body);

async function jobOf(status: string) {
  const { body } = await app.call('GET', `/api/v1/jobs?job_type=backup&status=${status}`, {
    key: DEV_KEYS.admin,
  });
  return body.data[0] as { job_id: string; error_text: string } | undefined;
}

test('backups are made on schedule, verified, and the old ones deleted; a failure is seen as that of any job', async () => {
  // The place is taken by a file at first.
  await writeFile(directory, '');
  const before = await doctor();
  expect(before).toContain('No backup has been made yet. One is made when a worker runs');
  expect(before).toMatch(/^FAILED +Backups cannot be written to .*: EEXIST/m);
  const worker = await app.engine.work({
    concurrency: 4,
    pollSeconds: 0.1,
    graceSeconds: 5,
    queues: ['backup'],
  });
  const trouble = await vi.waitFor(async () => {
    const [attempt] = await sql`
      select error_text from job_attempts join jobs on jobs.id = job_id where job_type = 'backup'`;
    expect(attempt).toBeDefined();
    return attempt;
  }, 60_000);
  expect(trouble?.error_text).toContain('EEXIST');
  await sql`update job_schedules set created_at = now() - interval '25 hours' where name = 'backup'`;
  expect(await doctor()).toMatch(
    /^FAILED +No backup has been made, although they have been scheduled for 25\.0 hours, every 12 hours\./m,
  );
  const [, age] = /^nexus_last_backup_age_seconds (\d+)/m.exec(await scrape()) ?? [];
  expect(Number(age)).toBeGreaterThanOrEqual(25 * 3600);

  await rm(directory);
  await mkdir(directory);
  const old = ['nexus-20200101T000000Z.tar', 'nexus-20210101T000000Z.tar', 'nexus-20220101T000000Z.tar'];
  const others = ['nexus-20200101T000000Z.tar.txt', 'notes.txt'];
  for (const name of [...old, ...others, 'nexus-20220201T000000Z.tar.partial'])
    await writeFile(path.join(directory, name), '');
  await sql`update job_queue set due_at = now()`;
  const job = await vi.waitFor(async () => {
    const succeeded = await jobOf('succeeded');
    expect(succeeded).toBeDefined();
    return succeeded;
  }, 60_000);
  await worker.stop();

  const { result } = (await findJob(sql, job?.job_id ?? '')) ?? {};
  const { file, deleted, rows } = result as { file: string; deleted: string[]; rows: number };
  expect(await readdir(directory)).toEqual(['nexus-20220101T000000Z.tar', file, ...others].toSorted());
  expect(deleted).toEqual([...old.slice(0, 2), 'nexus-20220201T000000Z.tar.partial']);
  const { manifest } = await verifyBackup(path.join(directory, file));
  expect(rows).toBe(Object.values(manifest.tables).reduce((sum, table) => sum + table.rows, 0));
  expect(await scrape()).toMatch(/^nexus_last_backup_age_seconds [\d.]+$/m);

  expect(await doctor()).toMatch(/^ok +Backups can be written to /m);
  expect(await doctor()).toMatch(/^ok +The last backup was made 0\.0 hours ago\.$/m);
  await sql`update audit_logs set created_at = created_at - interval '30 hours' where action = 'backup.made'`;
  expect(await doctor()).toMatch(
    /^FAILED +The last backup was made 30\.0 hours ago, and one is due every 12 hours\./m,
  );
});

test('deleting old backups leaves other files alone, and the newest backups', async () => {
  const place = await newDirectory('backups');
  const names = ['nexus-20200101T000000Z.tar', 'nexus-20210101T000000Z.tar', 'mine.tar', 'mine.tar.partial'];
  for (const name of names) await writeFile(path.join(place, name), '');
  const made = names[1] as string;
  expect(await deleteOldBackups(place, 5, made)).toEqual([]);
  expect(await deleteOldBackups(place, 1, made)).toEqual(['nexus-20200101T000000Z.tar']);
  expect((await readdir(place)).toSorted()).toEqual([
    'mine.tar',
    'mine.tar.partial',
    'nexus-20210101T000000Z.tar',
  ]);
});

test('backups with times to come, from a clock that was ahead, are deleted before the one just made', async () => {
  const place = await newDirectory('backups');
  const [past, made] = ['nexus-20200101T000000Z.tar', 'nexus-20210101T000000Z.tar'];
  const ahead = ['nexus-20300101T000000Z.tar', 'nexus-20310101T000000Z.tar'];
  for (const name of [past, made, ...ahead]) await writeFile(path.join(place, name), '');
  expect(await deleteOldBackups(place, 3, made)).toEqual([ahead[0]]);
  expect(await deleteOldBackups(place, 1, made)).toEqual([ahead[1], past]);
  expect(await readdir(place)).toEqual([made]);
});

test('a backup that lacks files deletes no other one, has an exit code of its own, and makes the doctor fail', async () => {
  await sql`delete from audit_logs where action = 'backup.made'`;
  const id = await saveEpisode(sql, await createReader(app));
  await sql`update media set file_path = ${`media/${id}/original.pdf`} where id = ${id}`;
  await rm(directory, { recursive: true, force: true });
  await mkdir(directory);
  const old = ['nexus-20200101T000000Z.tar', 'nexus-20210101T000000Z.tar', 'nexus-20220101T000000Z.tar'];
  for (const name of old) await writeFile(path.join(directory, name), '');
  const type = app.queue.types.get('backup');
  if (!type) throw new Error('There is no job type backup.');
  // The clock of this machine is ahead, and that of the database is not.
  vi.useFakeTimers({ toFake: ['Date'], now: new Date('2099-01-01') });
  const job = await app.queue
    .runInline({ type, payload: {}, createdBy: { name: 'test' } })
    .finally(() => vi.useRealTimers());
  const { result } = (await findJob(sql, job.id)) ?? {};
  expect(result).toMatchObject({ missing_files: 1, deleted: [] });
  const { file: name } = result as { file: string };
  expect(name < 'nexus-2099').toBe(true);
  expect(await readdir(directory)).toEqual([...old, name]);
  expect(await doctor()).toMatch(
    /^FAILED +The last backup was made 0\.0 hours ago, and 1 files are not in it/m,
  );

  const file = path.join(parent, 'by-hand.tar');
  const made = await runCommand(['backup', file], { NEXUS_DATABASE_URL: database.url });
  expect(made).toMatchObject({ code: 3, output: expect.stringContaining('1 files that rows refer to') });
  await verifyBackup(file);
});
