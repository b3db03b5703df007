import { chmod, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, test } from 'vitest';
import { newDirectory } from '../../test/support/workspace.ts';
import { readBootstrapKeys } from './bootstrap-keys.ts';
import { parseConfig } from './config.ts';

const FILE = 'bootstrap-keys.json';
const config = (dataDir: string, environment = {}) =>
  parseConfig({ NEXUS_ENV: 'dev', NEXUS_DATA_DIR: dataDir, ...environment });

test('in dev, four random keys are made once, in a file that only its owner can read', async () => {
  const directory = path.join(await newDirectory(), 'not', 'there', 'yet');
  const keys = await readBootstrapKeys(config(directory));
  expect(keys.map(({ role }) => role)).toEqual(['viewer', 'operator', 'researcher', 'admin']);
  for (const { key } of keys) expect(key).toMatch(/^nexus_[\w-]{43}$/);
  expect(new Set(keys.map(({ key }) => key)).size).toBe(4);
  expect(await readBootstrapKeys(config(directory))).toEqual(keys);
  expect((await stat(path.join(directory, FILE))).mode & 0o777).toBe(0o600);
  expect(await readdir(directory)).toEqual([FILE]);
  const elsewhere = await readBootstrapKeys(config(await newDirectory()));
  expect(elsewhere[0]?.key).not.toBe(keys[0]?.key);
});

test('many who start at once agree on one file', async () => {
  const directory = path.join(await newDirectory(), 'data');
  const all = await Promise.all(Array.from({ length: 20 }, () => readBootstrapKeys(config(directory))));
  expect(new Set(all.map((keys) => JSON.stringify(keys))).size).toBe(1);
  expect(await readdir(directory)).toEqual([FILE]);
});

test('a key that a variable sets goes first, and no file is made when all are set', async () => {
  const directory = await newDirectory();
  const set = Object.fromEntries(
    ['VIEWER', 'OPERATOR', 'RESEARCHER', 'ADMIN'].map((role) => [
      `NEXUS_BOOTSTRAP_${role}_KEY`,
      `set-${role}`,
    ]),
  );
  const keys = await readBootstrapKeys(config(directory, set));
  expect(keys.map(({ key }) => key)).toEqual(['set-VIEWER', 'set-OPERATOR', 'set-RESEARCHER', 'set-ADMIN']);
  expect(await readdir(directory)).toEqual([]);
  const one = await readBootstrapKeys(config(directory, { NEXUS_BOOTSTRAP_ADMIN_KEY: 'set-ADMIN' }));
  expect(one.map(({ isConfigured }) => isConfigured)).toEqual([false, false, false, true]);
});

test('prod has no keys but those that are set, and makes no file', async () => {
  const directory = await newDirectory();
  expect(await readBootstrapKeys(config(directory, { NEXUS_ENV: 'prod' }))).toEqual([]);
  expect(await readdir(directory)).toEqual([]);
});

test('on a database that others may share, keys of other data directories stay good', async () => {
  const directory = await newDirectory();
  const keeps = async (environment = {}) =>
    (await readBootstrapKeys(config(directory, environment))).map(({ keepsOthers }) => keepsOthers);
  expect(await keeps()).toEqual(Array(4).fill(false));
  expect(await keeps({ NEXUS_DATABASE_URL: 'postgres://localhost/x' })).toEqual(Array(4).fill(true));
});

test('a file that others could read is closed to them', async () => {
  const directory = await newDirectory();
  const file = path.join(directory, FILE);
  await readBootstrapKeys(config(directory));
  await chmod(file, 0o644);
  await readBootstrapKeys(config(directory));
  expect((await stat(file)).mode & 0o777).toBe(0o600);
});

test.each(['', '{', '[]', '{"admin":"nexus-dev-admin-key"}'])(
  'a file that holds %j is refused by its name, and left alone',
  async (text) => {
    const directory = await newDirectory();
    const file = path.join(directory, FILE);
    await writeFile(file, text);
    await expect(readBootstrapKeys(config(directory))).rejects.toThrow(
      `${file} does not hold four keys. Delete it, and new ones are made.`,
    );
    expect(await readFile(file, 'utf8')).toBe(text);
  },
);
