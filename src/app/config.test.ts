import { execFile } from 'node:child_process';
import { chmod, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { describe, expect, test } from 'vitest';
import { newDirectory } from '../../test/support/workspace.ts';
import { describeConfig, parseConfig, readEnvironment } from './config.ts';
import { VARIABLES } from './variables.ts';

test('without any variable, it is a development server on loopback', () => {
  expect(parseConfig({})).toMatchObject({
    env: 'dev',
    host: '127.0.0.1',
    port: 8080,
    databaseUrl: undefined,
  });
});

test('an empty variable counts as unset', () => {
  expect(parseConfig({ NEXUS_PORT: '', NEXUS_INTERNAL_SECRET: '' })).toMatchObject({
    port: 8080,
    internalSecret: undefined,
  });
});

test('a model needs an address and a name, once it is switched on', () => {
  const url = 'http://127.0.0.1:11434/v1';
  expect(parseConfig({ NEXUS_PLUGIN_ML_URL: url, NEXUS_PLUGIN_ML_MODEL: 'm' }).ml).toBeUndefined();
  expect(() => parseConfig({ NEXUS_PLUGIN_ML_ENABLED: 'true', NEXUS_PLUGIN_ML_URL: url })).toThrow(
    'NEXUS_PLUGIN_ML_MODEL must say which model',
  );
  const given = { NEXUS_PLUGIN_ML_ENABLED: 'true', NEXUS_PLUGIN_ML_URL: url, NEXUS_PLUGIN_ML_MODEL: 'm' };
  expect(parseConfig(given).ml).toEqual({ url, model: 'm', apiKey: undefined, timeoutMs: 60_000 });
});

test('blocked terms are separated by commas, and may have spaces in them', () => {
  expect(parseConfig({ NEXUS_BLOCKED_TERMS: 'falcon, blue door,,' }).blockedTerms).toEqual([
    'falcon',
    'blue door',
  ]);
});

describe('a bad value is refused by name', () => {
  test.each([
    ['NEXUS_ENV', 'production', 'dev, test or prod'],
    ['NEXUS_PORT', 'http', 'a port from 0 to 65535'],
    ['NEXUS_PORT', '65536', 'a port from 0 to 65535'],
    ['NEXUS_PORT', '80.5', 'a port from 0 to 65535'],
    ['NEXUS_DATABASE_URL', 'mysql://localhost/x', 'a postgres:// URL'],
    ['NEXUS_DATABASE_URL', 'postgres://me:pass#word@localhost:99999/x', 'a postgres:// URL'],
    ['NEXUS_DATABASE_URL', 'postgres://one:5432,two:99999/x', 'a postgres:// URL'],
    ['NEXUS_TRUSTED_PROXIES', 'my proxy', 'addresses or networks'],
    ['NEXUS_CORS_ORIGINS', 'https://notes.example/', 'origins such as'],
    ['NEXUS_CORS_ORIGINS', '*', 'origins such as'],
    ['NEXUS_BOOTSTRAP_ADMIN_KEY', 'schlüssel', 'at most 200 ASCII'],
    ['NEXUS_DATABASE_POOL_SIZE', '0', 'a number from 1 to 500'],
    ['NEXUS_DATABASE_STATEMENT_TIMEOUT_SECONDS', '-1', 'a number of seconds'],
    ['NEXUS_RAW_MODE_ENABLED', 'maybe', 'true or false'],
    ['NEXUS_REQUESTS_PER_MINUTE', '100', 'four numbers'],
    ['NEXUS_REQUESTS_PER_MINUTE', '1,2,3,many', 'four numbers'],
    ['NEXUS_REQUESTS_PER_MINUTE', '0,1,1,1', 'four numbers'],
    ['NEXUS_EGRESS_ALLOW', 'wiki.example:80, everything', 'host:port or networks such as 10.0.0.0/8'],
    ['NEXUS_BLOCKED_TERMS', 'x'.repeat(201), 'terms, separated by commas'],
    ['NEXUS_PLUGIN_ML_URL', 'model.example', 'an http:// or https:// URL'],
    ['NEXUS_STORAGE', 'ftp', 'local or s3'],
    ['NEXUS_S3_ENDPOINT', 'store.example', 'an http:// or https:// URL'],
    ['NEXUS_LOG_LEVEL', 'loud', 'fatal, error'],
    ['NEXUS_LOG_FORMAT', 'xml', 'json or pretty'],
    ['NEXUS_INTERNAL_SECRET', 'with space', 'at most 200 ASCII characters without spaces'],
    ['NEXUS_BOOTSTRAP_ADMIN_KEY', 'x'.repeat(201), 'at most 200 ASCII characters without spaces'],
  ])('%s=%s', (name, value, takes) => {
    expect(() => parseConfig({ [name]: value })).toThrow(`${name} takes ${takes}`);
  });

  test('all at once, not one after the other', () => {
    expect(() => parseConfig({ NEXUS_PORT: 'x', NEXUS_ENV: 'y' })).toThrow(
      /NEXUS_ENV takes.*\n.*NEXUS_PORT takes/s,
    );
  });

  test('without repeating a secret', () => {
    const message = (() => {
      try {
        parseConfig({ NEXUS_INTERNAL_SECRET: 'hush hush' });
      } catch (error) {
        return (error as Error).message;
      }
    })();
    expect(message).toContain('NEXUS_INTERNAL_SECRET');
    expect(message).not.toContain('hush');
  });
});

describe('bootstrap keys', () => {
  test('default to the well-known keys in test', () => {
    expect(parseConfig({ NEXUS_ENV: 'test' }).bootstrapKeys.map(({ key }) => key)).toEqual([
      'nexus-dev-viewer-key',
      'nexus-dev-operator-key',
      'nexus-dev-researcher-key',
      'nexus-dev-admin-key',
    ]);
  });

  test.each(['dev', 'prod'])('are only those that are set in %s', (env) => {
    expect(parseConfig({ NEXUS_ENV: env }).bootstrapKeys).toEqual([]);
    const key = 'a-key-that-nobody-else-knows';
    expect(parseConfig({ NEXUS_ENV: env, NEXUS_BOOTSTRAP_ADMIN_KEY: key }).bootstrapKeys).toEqual([
      { role: 'admin', key, isConfigured: true, keepsOthers: false },
    ]);
  });

  test.each(['dev', 'prod'])('a well-known key in %s stops the start', (env) => {
    expect(() => parseConfig({ NEXUS_ENV: env, NEXUS_BOOTSTRAP_VIEWER_KEY: 'nexus-dev-admin-key' })).toThrow(
      `NEXUS_BOOTSTRAP_VIEWER_KEY is a key that everybody knows, and NEXUS_ENV is ${env}.`,
    );
  });

  test('a well-known key on an address that others reach stops the start', () => {
    const config = (host: string) => parseConfig({ NEXUS_ENV: 'test', NEXUS_HOST: host });
    expect(() => config('0.0.0.0')).toThrow('NEXUS_HOST is 0.0.0.0');
    for (const host of ['127.0.0.1', '127.8.8.8', '::1', 'localhost']) config(host);
    for (const env of ['dev', 'prod']) parseConfig({ NEXUS_HOST: '0.0.0.0', NEXUS_ENV: env });
  });

  test('one key for two roles stops the start', () => {
    const key = 'one-key-for-everything';
    expect(() => parseConfig({ NEXUS_BOOTSTRAP_VIEWER_KEY: key, NEXUS_BOOTSTRAP_ADMIN_KEY: key })).toThrow(
      'NEXUS_BOOTSTRAP_ADMIN_KEY is also the key of another role',
    );
  });
});

test.each([
  [{}, true],
  [{ NEXUS_HOST: 'localhost' }, true],
  [{ NEXUS_HOST: '::1' }, true],
  [{ NEXUS_HOST: '0.0.0.0' }, false],
  [{ NEXUS_HOST: '192.168.1.5' }, false],
  [{ NEXUS_PUBLIC_URL: 'https://nexus.example' }, false],
])('with %j, only this machine is to reach Nexus: %s', (environment, isLocal) => {
  expect(parseConfig(environment).isLocal).toBe(isLocal);
});

describe('storage', () => {
  const s3 = { NEXUS_STORAGE: 's3', NEXUS_S3_BUCKET: 'nexus' };

  test('is below the data directory unless it is told otherwise', () => {
    expect(parseConfig({ NEXUS_DATA_DIR: '/srv/nexus' }).storage).toEqual({
      kind: 'local',
      directory: '/srv/nexus/files',
    });
  });

  test('in S3 needs a bucket, and both keys or neither', () => {
    expect(parseConfig(s3).storage).toMatchObject({ kind: 's3', bucket: 'nexus', credentials: undefined });
    expect(() => parseConfig({ NEXUS_STORAGE: 's3' })).toThrow('NEXUS_S3_BUCKET does not say which bucket');
    expect(() => parseConfig({ ...s3, NEXUS_S3_ACCESS_KEY_ID: 'AK' })).toThrow('set both, or neither');
    expect(
      parseConfig({ ...s3, NEXUS_S3_ACCESS_KEY_ID: 'AK', NEXUS_S3_SECRET_ACCESS_KEY: 'SK' }).storage,
    ).toMatchObject({ credentials: { accessKeyId: 'AK', secretAccessKey: 'SK' } });
  });
});

test('egress exceptions are a list', () => {
  expect(parseConfig({ NEXUS_EGRESS_ALLOW: 'wiki.example:443 , 10.0.0.0/8' }).egressAllow).toEqual([
    'wiki.example:443',
    '10.0.0.0/8',
  ]);
  expect(parseConfig({}).egressAllow).toEqual([]);
});

test.each(['NEXUS_INTERNAL_SECRET', 'NEXUS_TOKEN_SECRET', 'NEXUS_BOOTSTRAP_ADMIN_KEY'])(
  'a short %s is for development only',
  (name) => {
    parseConfig({ [name]: 'short' });
    expect(() => parseConfig({ NEXUS_ENV: 'prod', [name]: 'short' })).toThrow(
      `${name} has fewer than 20 characters`,
    );
  },
);

test('.env is read from the working directory, and the environment goes before it', async () => {
  const directory = await newDirectory();
  await writeFile(path.join(directory, '.env'), '# comment\nNEXUS_PORT=9000\nNEXUS_HOST="127.0.0.2"\n');
  const config = parseConfig(readEnvironment(directory, { NEXUS_PORT: '9001' }));
  expect(config).toMatchObject({ port: 9001, host: '127.0.0.2' });
  expect(readEnvironment(await newDirectory(), { A: 'b' })).toEqual({ A: 'b' });
});

test('a directory that the account may not enter has no .env; one that it may not read is an error', async () => {
  const [closed, open] = [await newDirectory(), await newDirectory()];
  for (const directory of [closed, open])
    await writeFile(path.join(directory, '.env'), 'A=b', { mode: 0o000 });
  // Another account, if the tests run as root, whom no mode keeps out.
  const script = `
    import { readEnvironment } from ${JSON.stringify(new URL('config.ts', import.meta.url).href)};
    if (process.getuid() === 0) process.setuid(65534);
    for (const directory of ${JSON.stringify([closed, open])}) {
      try {
        console.log(JSON.stringify(readEnvironment(directory, {})));
      } catch (error) {
        console.log(error.code);
      }
    }`;
  await chmod(path.dirname(open), 0o711);
  await chmod(open, 0o755);
  await chmod(closed, 0o000);
  const hook = fileURLToPath(new URL('../../test/support/typescript-in-processes.mjs', import.meta.url));
  const args = ['--import', hook, '--input-type=module', '--eval', script];
  const { stdout } = await promisify(execFile)(process.execPath, args);
  await chmod(closed, 0o700);
  expect(stdout).toBe('{}\nEACCES\n');
});

test('a variable that does not exist is noticed', () => {
  expect(parseConfig({ NEXUS_PROT: '1', HOME: '/x' }).unknownVariables).toEqual(['NEXUS_PROT']);
});

test('the description hides secrets and shows what is in force', () => {
  const described = describeConfig({ NEXUS_INTERNAL_SECRET: 'a-secret-nobody-sees', NEXUS_PORT: '81' });
  expect(described).toContainEqual({ name: 'NEXUS_PORT', value: '81', isSet: true });
  expect(described).toContainEqual({ name: 'NEXUS_HOST', value: '127.0.0.1', isSet: false });
  expect(JSON.stringify(described)).not.toContain('nobody-sees');
});

test('docs/configuration.md lists every variable, with what it takes and is for', async () => {
  const page = await readFile(new URL('../../docs/configuration.md', import.meta.url), 'utf8');
  const listed = page.split('\n').filter((line) => line.startsWith('| `'));
  const expected = Object.entries(VARIABLES).map(([name, { takes, purpose, reads }]) => {
    const standard = reads.safeParse(undefined).data;
    return `| \`${name}\` | ${String(standard ?? '') === '' ? '' : `\`${standard}\``} | ${takes} | ${purpose} |`;
  });
  expect(listed).toEqual(expected);
});
