import { readdir, stat } from 'node:fs/promises';
import path from 'node:path';
import { beforeAll, expect, test, vi } from 'vitest';
import { listTables } from '../../src/platform/backup/tables.ts';
import { useApp } from '../support/app.ts';
import { useDatabase } from '../support/database.ts';
import { createReader, saveEpisode } from '../support/libraries.ts';
import { runNexus, startNexus } from '../support/nexus-process.ts';
import { newDirectory } from '../support/workspace.ts';

const FILES = 200;
const dataDir = await newDirectory('data');
const database = useDatabase();
const { sql } = database;
const empty = useDatabase({ template: 'template0' });
const app = useApp(database, { NEXUS_DATA_DIR: dataDir });
const env = { NEXUS_DATABASE_URL: database.url, NEXUS_DATA_DIR: dataDir };
let backups: string;

beforeAll(async () => {
  backups = await newDirectory('backups');
  const reader = await createReader(app);
  for (let n = 0; n < FILES; n++) {
    const id = await saveEpisode(sql, reader);
    const file = `media/${id}/original.pdf`;
    await app.resources.storage.put(file, Buffer.alloc(100_000, `file ${n}`));
    await sql`update media set file_path = ${file} where id = ${id}`;
  }
});

const size = async (file: string) => (await stat(file).catch(() => undefined))?.size ?? 0;
const waitUntil = (is: () => Promise<boolean>) => vi.waitUntil(is, { timeout: 60_000, interval: 1 });

test('a backup that is killed leaves no backup, and the next one works; one that is stopped cleans up', async () => {
  const file = path.join(backups, 'killed.tar');
  for (const signal of ['SIGTERM', 'SIGKILL'] as const) {
    const nexus = startNexus(['backup', file], { env });
    await waitUntil(async () => (await size(`${file}.partial`)) > 1_000_000);
    const code = await nexus.stop(signal);
    expect(code).toBe(signal === 'SIGKILL' ? null : 1);
    expect(await readdir(backups)).toEqual(signal === 'SIGKILL' ? ['killed.tar.partial'] : []);
  }
  const { code, stdout } = await runNexus(['backup', file], { env });
  expect({ code, stdout }).toEqual({ code: 0, stdout: expect.stringContaining(`${FILES} files`) });
  expect(await readdir(backups)).toEqual(['killed.tar']);
});

test('a restore that is killed leaves an empty database, and can be repeated', async () => {
  const file = path.join(backups, 'whole.tar');
  await runNexus(['backup', file], { env });
  const target = { NEXUS_DATABASE_URL: empty.url, NEXUS_DATA_DIR: await newDirectory('data') };
  const folder = path.join(target.NEXUS_DATA_DIR, 'files', 'media');
  const restored = async () => (await readdir(folder).catch(() => [])).length;

  const victim = startNexus(['restore', file], { env: target });
  await waitUntil(async () => (await restored()) > 10);
  expect(await victim.stop('SIGKILL')).toBe(null);
  expect(await restored()).toBeLessThan(FILES);
  expect(await listTables(empty.sql)).toHaveLength(0);

  const { code, output } = await runNexus(['restore', file], { env: target });
  expect(output).toContain(`The integrity audit of ${FILES} documents found nothing.`);
  expect(code).toBe(0);
  expect(await restored()).toBe(FILES);
  expect(await readdir(path.join(target.NEXUS_DATA_DIR, 'files'))).toEqual(['.partial', 'media']);
});
