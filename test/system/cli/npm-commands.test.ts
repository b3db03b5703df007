import { readdir, readFile, stat, utimes, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { call } from '../../support/app.ts';
import { copySources, installPackage } from '../../support/checkout.ts';
import { freePort } from '../../support/free-port.ts';
import { type NexusProcess, npm } from '../../support/nexus-process.ts';
import { processesMentioning } from '../../support/processes.ts';
import { fileDir, newDataDir } from '../../support/workspace.ts';

const dataDir = await newDataDir();

describe('npm start', async () => {
  const root = await installPackage();
  const start = () => npm(['start', '--ignore-scripts'], { root, env: { NEXUS_DATA_DIR: dataDir } });

  test('serves until SIGTERM, which npm passes on', async () => {
    const nexus = start();
    expect((await call(await nexus.ready(), 'GET', '/healthz')).status).toBe(200);
    nexus.child.kill('SIGTERM');
    await nexus.exited;
    expect(nexus.output()).toContain('"msg":"stopped"');
    expect(await processesMentioning(fileDir)).toEqual([]);
  });

  test('serves until Ctrl-C, which the terminal sends to every process at once', async () => {
    const nexus = start();
    await nexus.ready();
    process.kill(-nexus.pid, 'SIGINT');
    await nexus.exited;
    expect(nexus.output()).toContain('"msg":"stopped"');
    expect(await processesMentioning(fileDir)).toEqual([]);
  });
});

describe('a copy of the sources', async () => {
  const root = await copySources();
  const dist = path.join(root, 'dist');
  const source = path.join(root, 'src', 'cli', 'serve.ts');
  const builtAt = async () => (await stat(path.join(dist, 'main.js'))).mtimeMs;
  const prestart = async () => {
    const built = npm(['run', 'prestart'], { root });
    expect(await built.exited, built.output()).toBe(0);
  };

  test('is built by npm start only when the content of a source has changed', async () => {
    const first = await builtAt();
    await prestart();
    expect(await builtAt()).toBe(first);
    // As `git checkout` does with files that it writes again.
    await utimes(source, new Date(), new Date());
    await prestart();
    expect(await builtAt()).toBe(first);
    const text = await readFile(source, 'utf8');
    await writeFile(source, text.replace('is ready.', 'is built anew.'));
    await prestart();
    expect(await builtAt()).toBeGreaterThan(first);
    const [serve = ''] = (await readdir(dist)).filter((name) => /^serve-.*\.js$/.test(name));
    expect(await readFile(path.join(dist, serve), 'utf8')).toContain('is built anew.');
  });

  test('is served by npm run dev, which restarts the server on a change and leaves nothing behind', async () => {
    const WEB_PORT = String(await freePort());
    const env = { NEXUS_DATA_DIR: dataDir, NEXUS_PORT: String(await freePort()), WEB_PORT };
    const dev = npm(['run', 'dev'], { root, env });
    await printsUnlessBroken(dev, /Open +http/);
    expect(await dev.ready()).toBe(`http://127.0.0.1:${WEB_PORT}`);
    expect((await call(await dev.ready(), 'GET', '/app/')).body).toContain('/app/@vite/client');
    expect((await call(await dev.ready(), 'GET', '/api/v1/me')).status).toBe(401);

    const text = await readFile(source, 'utf8');
    await writeFile(source, text.replace(/is (ready|built anew)\./, 'is ready again.'));
    await printsUnlessBroken(dev, /is ready again\./);
    process.kill(-dev.pid, 'SIGINT');
    await dev.exited;
    expect(await processesMentioning(fileDir)).toEqual([]);
    await expect(stat(path.join(dist, '.built-from'))).rejects.toThrow('ENOENT');
  });
});

/** Waits until it prints the pattern. Fails when the sources cannot be built, which is likely while somebody edits them. */
async function printsUnlessBroken(dev: NexusProcess, pattern: RegExp): Promise<void> {
  const [printed] = await dev.prints(new RegExp(`${pattern.source}|build +\\|`));
  expect(printed, dev.output()).toMatch(pattern);
}
