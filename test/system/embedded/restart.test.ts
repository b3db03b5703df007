import { execFile } from 'node:child_process';
import { lstat, readFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { call, DEV_KEYS, failure } from '../../support/app.ts';
import { type NexusProcess, runNexus, startNexus } from '../../support/nexus-process.ts';
import { processesMentioning } from '../../support/processes.ts';
import { newDirectory } from '../../support/workspace.ts';

const key = DEV_KEYS.admin;
const dataDir = await newDirectory('data');
const env = { NEXUS_DATA_DIR: dataDir };
const serve = () => startNexus(['serve'], { env });
const postmaster = async () =>
  Number.parseInt(await readFile(path.join(dataDir, 'postgres/data/postmaster.pid'), 'utf8'), 10);

async function addUser(url: string, username: string) {
  const { status } = await call(url, 'POST', '/api/v1/users', { key, body: { username } });
  expect(status).toBe(201);
}

async function usernames(url: string): Promise<string[]> {
  const { body } = await call(url, 'GET', '/api/v1/users', { key });
  return body.data.map((user: { username: string }) => user.username);
}

/** Sends requests until one succeeds, and returns the statuses of the others. */
async function untilAnswered(url: string): Promise<number[]> {
  const refused: number[] = [];
  for (;;) {
    const { status } = await call(url, 'GET', '/api/v1/me', { key });
    if (status === 200) return refused;
    refused.push(status);
  }
}

/** The tests run in order: each uses the directory that the one before left. */
describe.sequential('one data directory', () => {
  test('is created on first start; Ctrl-C stops Nexus and its PostgreSQL', async () => {
    const nexus = serve();
    const url = await nexus.ready();
    await addUser(url, 'first');
    expect(await nexus.stop('SIGINT')).toBe(0);
    expect(await processesMentioning(dataDir)).toEqual([]);
    expect((await lstat(path.join(dataDir, 'postgres', 'data'))).mode & 0o077).toBe(0);
  });

  test('keeps its data across restarts; Ctrl-C under npm arrives twice and counts once', async () => {
    const nexus = serve();
    const url = await nexus.ready();
    expect(await usernames(url)).toContain('first');
    nexus.child.kill('SIGINT');
    nexus.child.kill('SIGINT');
    expect(await nexus.exited).toBe(0);
    expect(nexus.output()).toContain('stopped');
  });

  test('recovers from kill -9 of Nexus: the orphaned PostgreSQL is adopted, nothing acknowledged is lost', async () => {
    const victim = serve();
    await addUser(await victim.ready(), 'second');
    const pid = await postmaster();
    await victim.stop('SIGKILL');
    process.kill(pid, 0);

    const next = serve();
    expect(await usernames(await next.ready())).toEqual(expect.arrayContaining(['first', 'second']));
    expect(await postmaster()).toBe(pid);
    expect(await next.stop()).toBe(0);
    expect(await processesMentioning(dataDir)).toEqual([]);
  });

  test('recovers from kill -9 of both at once', async () => {
    const victim = serve();
    await addUser(await victim.ready(), 'fourth');
    process.kill(await postmaster(), 'SIGKILL');
    await victim.stop('SIGKILL');
    const next = serve();
    expect(await usernames(await next.ready())).toContain('fourth');
    await next.stop();
  });

  describe('that Nexus serves', () => {
    let nexus: NexusProcess;
    let url: string;
    beforeAll(async () => {
      nexus = serve();
      url = await nexus.ready();
    });
    afterAll(async () => expect(await nexus.stop()).toBe(0));

    test('recovers from kill -9 of PostgreSQL: Nexus says so, restarts it and answers again', async () => {
      await addUser(url, 'third');
      const pid = await postmaster();
      process.kill(pid, 'SIGKILL');
      await nexus.prints(/PostgreSQL stopped unexpectedly/);
      const refused = await untilAnswered(url);
      expect(new Set(refused)).toEqual(new Set(refused.length ? [503] : []));
      await nexus.prints(/PostgreSQL runs again/);
      expect(await usernames(url)).toEqual(expect.arrayContaining(['first', 'second', 'third']));
      expect(await postmaster()).not.toBe(pid);
    });

    test('recovers from kill -9 of one PostgreSQL process, after which PostgreSQL restarts itself', async () => {
      const pid = await postmaster();
      const { stdout } = await promisify(execFile)('ps', ['-A', '-o', 'pid=,ppid=,command=']);
      const backend = stdout.split('\n').map((line) => /^ *(\d+) +(\d+) postgres: nexus nexus/.exec(line));
      const victim = backend.find((match) => match?.[2] === String(pid))?.[1];
      process.kill(Number(victim), 'SIGKILL');
      // For the second time.
      await nexus.prints(/PostgreSQL runs again.*PostgreSQL runs again/s);
      await untilAnswered(url);
      expect(await postmaster()).toBe(pid);
    });

    test('is refused to a second Nexus, which names the first and leaves it alone', async () => {
      const second = serve();
      expect(await second.exited).toBe(1);
      expect(second.output()).toContain(
        `Another Nexus (nexus serve (pid ${nexus.pid})) is using ${dataDir}/postgres.`,
      );
      expect((await call(url, 'GET', '/api/v1/me', { key })).status).toBe(200);

      const listed = await runNexus(['users', 'list'], { env });
      expect(listed).toMatchObject({ code: 0, output: expect.stringContaining('fourth') });
    });

    test('is closed to a request without a key', async () => {
      expect(await call(url, 'GET', '/api/v1/me')).toMatchObject(failure(401, 'E_UNAUTHENTICATED'));
    });
  });
});

test('of two that start at the same time on an empty directory, one serves and the other is refused', async () => {
  const env = { NEXUS_DATA_DIR: await newDirectory('contested') };
  const both = [startNexus(['serve'], { env }), startNexus(['serve'], { env })];
  const outcomes = await Promise.all(
    both.map((nexus) =>
      nexus.ready().then(
        (url) => ({ nexus, url }),
        () => ({ nexus, url: undefined }),
      ),
    ),
  );
  const [winner, loser] = outcomes.sort((a, b) => (b.url ?? '').localeCompare(a.url ?? ''));
  if (!winner?.url || !loser) throw new Error('Nobody serves.');
  expect(loser.url).toBeUndefined();
  expect(loser.nexus.output()).toMatch(/Another Nexus \(nexus serve \(pid \d+\)\) is using/);
  expect((await call(winner.url, 'GET', '/api/v1/me', { key })).status).toBe(200);
  expect(await winner.nexus.stop()).toBe(0);
});
