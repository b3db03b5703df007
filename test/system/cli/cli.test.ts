import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import { createServer } from 'node:net';
import path from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { call, failure } from '../../support/app.ts';
import { useDatabase } from '../../support/database.ts';
import { runNexus, startNexus } from '../../support/nexus-process.ts';
import { newDirectory } from '../../support/workspace.ts';

const database = useDatabase();
const dataDir = await newDirectory('data');
const env = { NEXUS_DATABASE_URL: database.url, NEXUS_DATA_DIR: dataDir };
const run = (...args: string[]) => runNexus(args, { env });

describe('nexus --help', () => {
  test('lists the commands and examples', async () => {
    const { code, output } = await run('--help');
    expect(code).toBe(0);
    for (const command of ['serve', 'migrate', 'users', 'keys', 'doctor'])
      expect(output).toContain(`  ${command}`);
    expect(output).toContain('nexus users add ana --role researcher');
  });

  test('a command that does not exist is an error that leads to the help', async () => {
    const { code, output } = await run('srve');
    expect(code).toBe(2);
    expect(output).toContain("unknown command 'srve'");
    expect(output).toContain('Did you mean serve?');
  });

  test('--version prints it', async () => {
    expect((await run('--version')).output).toMatch(/^\d+\.\d+\.\d+\n$/);
  });
});

describe('nexus users and keys', () => {
  test('add a person, make a key that works, list it, disable it', async () => {
    const added = await run('users', 'add', 'cli-ana', '--role', 'operator', '--display-name', 'Ana');
    expect(added).toMatchObject({
      code: 0,
      output: expect.stringMatching(/^Added cli-ana \(operator\), id /),
    });
    const created = JSON.parse((await run('keys', 'create', 'cli-ana', '--name', 'laptop', '--json')).output);
    expect(created).toMatchObject({ owner: 'cli-ana', role: 'operator', name: 'laptop' });

    const nexus = startNexus(['serve'], { env });
    const url = await nexus.ready();
    expect((await call(url, 'GET', '/api/v1/me', { key: created.key })).body.data.display_name).toBe('Ana');
    expect((await run('keys', 'list', '--user', 'cli-ana')).output).toMatch(
      /nxs_\S{4} +cli-ana +laptop +operator +enabled/,
    );
    expect((await run('keys', 'disable', created.id)).output).toContain('Disabled key nxs_');
    expect(await call(url, 'GET', '/api/v1/me', { key: created.key })).toMatchObject(
      failure(401, 'E_UNAUTHENTICATED'),
    );
    await nexus.stop();

    const actions = await database.sql`select action from audit_logs where actor = 'cli' order by id`;
    expect(actions.map(({ action }) => action)).toEqual([
      'user.created',
      'sign_in_link.created',
      'api_key.created',
      'api_key.disabled',
    ]);
  });

  test('a key alone goes to standard output, so that it can be piped', async () => {
    const { stdout } = await run('keys', 'create', 'cli-ana');
    expect(stdout).toMatch(/^nxs_[\w-]{43}\n$/);
  });
});

describe('nexus serve', () => {
  test('refuses a port that is taken, by its number, and leaves nothing running', async () => {
    const squatter = createServer().listen(0, '127.0.0.1');
    await once(squatter, 'listening');
    const { port } = squatter.address() as AddressInfo;
    const { code, output } = await runNexus(['serve'], { env: { ...env, NEXUS_PORT: String(port) } });
    squatter.close();
    expect(code).toBe(1);
    expect(output).toContain(`Port ${port} on 127.0.0.1 is taken.`);
  });

  test('refuses a bad variable by its name, also from .env', async () => {
    const cwd = await newDirectory('cwd');
    await writeFile(path.join(cwd, '.env'), 'NEXUS_DATABASE_POOL_SIZE=many\n');
    const { code, output } = await runNexus(['serve'], { env, cwd });
    expect([code, output]).toEqual([
      1,
      'nexus: NEXUS_DATABASE_POOL_SIZE takes a number from 1 to 500, not what it is set to "many".\n',
    ]);
  });

  test('says where the database is when it cannot be reached', async () => {
    const { code, output } = await runNexus(['serve'], {
      env: { ...env, NEXUS_DATABASE_URL: 'postgres://somebody:hidden-password@127.0.0.1:1/nexus' },
    });
    expect(code).toBe(1);
    expect(output).toContain(
      'nexus: PostgreSQL at 127.0.0.1:1, database nexus cannot be reached: connect ECONNREFUSED 127.0.0.1:1\n',
    );
  });

  describe('that logs everything', () => {
    const secrets = {
      NEXUS_INTERNAL_SECRET: 'internal-secret-value',
      NEXUS_BOOTSTRAP_ADMIN_KEY: 'admin-key-value-in-full',
    };
    let output: string;
    let createdKey: string;

    beforeAll(async () => {
      const nexus = startNexus(['serve'], {
        env: { ...env, ...secrets, NEXUS_PROT: '1', NEXUS_LOG_LEVEL: 'trace' },
      });
      const url = await nexus.ready();
      const key = secrets.NEXUS_BOOTSTRAP_ADMIN_KEY;
      const body = { username: 'dev-viewer', name: 'logged?' };
      createdKey = (await call(url, 'POST', '/api/v1/api-keys', { key, body })).body.data.key;
      await call(url, 'GET', '/api/v1/me?token=query-secret-value', {
        headers: { authorization: `Bearer ${createdKey}` },
      });
      await call(url, 'GET', '/api/v1/me', {
        key: 'nxs_unknown-key-value',
        headers: { cookie: 'session=cookie-secret-value' },
      });
      await call(url, 'GET', '/internal/x', {
        headers: { 'x-nexus-internal': secrets.NEXUS_INTERNAL_SECRET },
      });
      await call(url, 'POST', '/api/v1/users', { key, body: '{"password": "body-secret-value' });
      await call(url, 'GET', '/nowhere?x=1', { headers: { 'x-request-id': 'find-me' } });
      await nexus.stop();
      output = nexus.output();
    });

    test('warns of a variable that does not exist', () => {
      expect(output).toContain('NEXUS_PROT is set, but Nexus knows no such variable');
    });

    test('never logs a key, a secret or a query', () => {
      expect(output).toContain('"path":"/api/v1/me"');
      for (const secret of [...Object.values(secrets), createdKey, database.target.password]) {
        expect(output).not.toContain(secret);
      }
      for (const word of ['query-secret', 'unknown-key', 'cookie-secret', 'body-secret'])
        expect(output).not.toContain(word);
    });

    test('logs each request once, as JSON, under its request id', () => {
      const lines = output.split('\n').filter((line) => line.includes('find-me'));
      expect(lines.map((line) => JSON.parse(line))).toMatchObject([
        { request_id: 'find-me', method: 'GET', path: '/nowhere', status: 404, msg: 'request' },
      ]);
    });
  });
});

describe('nexus doctor', () => {
  test('names what is wrong and exits with 1', async () => {
    const file = path.join(await newDirectory(), 'file');
    await writeFile(file, '');
    const { code, output } = await runNexus(['doctor', '--offline'], {
      env: { NEXUS_DATABASE_URL: 'postgres://127.0.0.1:1/x', NEXUS_DATA_DIR: path.join(file, 'data') },
    });
    expect(code).toBe(1);
    expect(output).toMatch(/FAILED +The data directory/);
    expect(output).toMatch(/FAILED +.*127\.0\.0\.1:1/);
  });
});
