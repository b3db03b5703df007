import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { beforeAll, describe, expect, test, vi } from 'vitest';
import { runCommand } from '../../test/support/command.ts';
import { useDatabase } from '../../test/support/database.ts';
import { startSite } from '../../test/support/internet.ts';
import { newDirectory } from '../../test/support/workspace.ts';

const database = useDatabase();
const env = { NEXUS_DATABASE_URL: database.url };
const run = (...args: string[]) => runCommand(args, env);

describe('nexus users and keys', () => {
  test('a person added without a role gets the default role', async () => {
    expect((await run('users', 'add', 'cli-new')).output).toMatch(/^Added cli-new \(viewer\), id /);
    const withDefault = { ...env, NEXUS_DEFAULT_ROLE: 'operator' };
    expect((await runCommand(['users', 'add', 'cli-newer'], withDefault)).output).toMatch(
      /^Added cli-newer \(operator\), id /,
    );
  });

  describe('with a person who exists', () => {
    beforeAll(() => run('users', 'add', 'cli-ana', '--role', 'operator'));

    test.each([
      [['users', 'add', 'CLI-ANA'], 1, 'The username CLI-ANA is taken'],
      [['users', 'add', 'a b'], 1, 'must have 1 to 128 letters'],
      [['users', 'add', 'x', '--role', 'king'], 2, 'Allowed choices are viewer, operator, researcher, admin'],
      [['users', 'add'], 2, "missing required argument 'username'"],
      [['keys', 'create', 'nobody-here'], 1, 'The user nobody-here does not exist.'],
      [['keys', 'create', 'cli-ana', '--role', 'admin'], 1, 'cli-ana has the role operator'],
      [['keys', 'create', 'cli-ana', '--expires', 'soon'], 1, 'expires_at'],
      [['keys', 'disable', 'not-an-id'], 1, 'a UUID'],
      [['keys', 'disable'], 2, "missing required argument 'id'"],
      [['keys', 'show'], 2, "required option '--bootstrap [role]' not specified"],
      [['keys', 'show', '--bootstrap', 'king'], 2, 'Allowed choices are viewer, operator, researcher, admin'],
      [['users', 'add', 'Dev_Admin'], 1, 'The username Dev_Admin is reserved'],
    ])('%j is refused with a sentence', async (args, code, says) => {
      const result = await run(...args);
      expect(result.output).toContain(says);
      expect(result.code).toBe(code);
      expect(result.output).not.toMatch(/^ +at /m);
    });
  });

  test('a connection that breaks is reported as trouble of the database', async () => {
    const locker = await database.sql.connect();
    await locker.query('begin; lock table users');
    const listed = run('users', 'list');
    await vi.waitFor(async () => {
      const ended = await database.sql`
        select pg_terminate_backend(pid) from pg_stat_activity
        where wait_event_type = 'Lock' and datname = current_database()`;
      expect(ended).toHaveLength(1);
    }, 10_000);
    await locker.query('rollback');
    locker.release();
    expect(await listed).toMatchObject({
      code: 1,
      output: expect.stringMatching(/^nexus: The database is unavailable: terminating connection/),
    });
  });
});

describe('a database of an earlier release', () => {
  test('is left alone by commands that only use it', async () => {
    await database.sql`create table undone as select * from schema_migrations order by version desc limit 1`;
    await database.sql`delete from schema_migrations where version in (select version from undone)`;
    const { code, output } = await run('users', 'list');
    await database.sql`insert into schema_migrations select * from undone`;
    await database.sql`drop table undone`;
    expect(code).toBe(1);
    expect(output).toContain('The database lacks 1 migrations of this release. Run `nexus migrate`');
  });
});

describe('nexus migrate', () => {
  test('says what it applied and where the schema is', async () => {
    expect(await run('migrate')).toMatchObject({
      code: 0,
      output: expect.stringMatching(/^The schema is at version \d+\.\n$/),
    });
  });
});

describe('nexus doctor', () => {
  test('prints the configuration with secrets hidden, and passes on a healthy system', async () => {
    const { code, output } = await runCommand(['doctor', '--offline'], {
      ...env,
      NEXUS_INTERNAL_SECRET: 'a-secret-to-hide',
    });
    expect(output).toMatch(/NEXUS_DATA_DIR +\/\S+/);
    expect(output).toMatch(/NEXUS_INTERNAL_SECRET +\(hidden\)/);
    expect(output).not.toContain('a-secret-to-hide');
    expect(output).not.toContain(database.target.password);
    expect(output).toMatch(/ok +PostgreSQL \d+\.\d+ answers/);
    expect(output).toMatch(/ok +The data directory .* can be written/);
    expect(output).toContain('The schema is current.');
    expect(output).toMatch(/ok +Files can be stored, read and deleted/);
    expect(output).toMatch(/ok +The database stores UTF-8/);
    // The server of the tests does not wait for the disk.
    expect(output).toMatch(/warning +Commits can be lost .* Switch them on/);
    expect(output).not.toContain('example.com');
    expect(code).toBe(0);
  });

  test('finds out where the public URL leads, and whether its proxy is known', async () => {
    const answers = ['{"status":"ok"}', '<h1>It works!</h1>'];
    const site = await startSite((_request, response) => void response.end(answers.shift()));
    const look = async (variables: Record<string, string>) =>
      (await runCommand(['doctor', '--offline'], { ...env, ...variables })).output;
    const NEXUS_PUBLIC_URL = site.url;
    expect(await look({ NEXUS_PUBLIC_URL })).toContain(`${site.url} leads to a running Nexus.`);
    expect(await look({ NEXUS_PUBLIC_URL })).toMatch(/warning +.* leads to another program\. Check/);
    const secure = site.url.replace('http:', 'https:');
    const unknown = await look({ NEXUS_PUBLIC_URL: secure });
    expect(unknown).toMatch(/warning +https:.* cannot be reached from here: .* Start Nexus/);
    expect(unknown).toMatch(/warning +NEXUS_TRUSTED_PROXIES is not set/);
  });

  test('names a storage that cannot be written', async () => {
    const NEXUS_DATA_DIR = await newDirectory('data');
    await writeFile(path.join(NEXUS_DATA_DIR, 'files'), 'not a directory');
    const { code, output } = await runCommand(['doctor', '--offline'], { ...env, NEXUS_DATA_DIR });
    expect(output).toMatch(/FAILED +Files cannot be kept in .*files: .* Make the directory writable/);
    expect(code).toBe(1);
  });
});
