import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { VARIABLES } from '../../src/app/variables.ts';
import { ATTEMPT_ERRORS, COMMAND_ERRORS, ERRORS, FAILURES } from '../../src/contract/errors.ts';
import { EVENTS } from '../../src/contract/events.ts';

const read = (file: string) => readFile(new URL(`../../${file}`, import.meta.url), 'utf8');

test('docs/errors.md lists exactly the codes of the catalogue, with their meaning', async () => {
  const rows = (await read('docs/errors.md')).split('\n').filter((line) => line.startsWith('| `E_'));
  expect(rows).toEqual([
    ...Object.entries(ERRORS).map(
      ([code, { status, meaning }]) => `| \`${code}\` | ${status} | ${meaning} |`,
    ),
    ...Object.entries({ ...ATTEMPT_ERRORS, ...COMMAND_ERRORS }).map(
      ([code, meaning]) => `| \`${code}\` | ${meaning} |`,
    ),
    ...Object.entries(FAILURES).map(
      ([code, { transient, meaning }]) => `| \`${code}\` | ${transient ? 'yes' : 'no'} | ${meaning} |`,
    ),
  ]);
});

test('docs/outbox.md lists exactly the events of the contract, with their version and payload', async () => {
  const rows = (await read('docs/outbox.md')).split('\n').filter((line) => /^\| `\w+\.\w+` \|/.test(line));
  expect(rows.map((row) => row.split(' | ').slice(0, 3).join(' | '))).toEqual(
    Object.entries(EVENTS).map(([type, { schema_version, payload }]) => {
      const fields = Object.keys(payload.shape).map((field) => `\`${field}\``);
      return `| \`${type}\` | ${schema_version} | ${fields.join(', ')}`;
    }),
  );
});

test('every code in the source is in the catalogue', async () => {
  const { stdout } = await promisify(execFile)(
    'git',
    ['grep', '-hoE', "'E_[A-Z_]+'", '--', 'src', 'migrations', ':!*.test.ts'],
    { cwd: new URL('../..', import.meta.url) },
  );
  const mentioned = new Set(
    stdout
      .split('\n')
      .filter(Boolean)
      .map((code) => code.slice(1, -1)),
  );
  const known = { ...ERRORS, ...ATTEMPT_ERRORS, ...COMMAND_ERRORS, ...FAILURES };
  expect([...mentioned].filter((code) => !(code in known))).toEqual([]);
});

test('.ci/run calls the test command of the README and nothing else', async () => {
  const [readme, ci] = [await read('README.md'), await read('.ci/run')];
  const commands = ci.split('\n').filter((line) => line && !/^(#|set )/.test(line));
  expect(commands).toEqual(['npm ci && npm test']);
  expect(readme).toContain('npm ci && npm test');
  expect(readme).toContain('npm ci && npm start');
});

test('the files that run Nexus elsewhere set only variables that it knows', async () => {
  const files = ['Dockerfile', 'compose.yml', 'ops/nexus.service', 'ops/nexus-worker@.service'];
  const texts = await Promise.all(files.map(read));
  const mentioned = new Set(texts.flatMap((text) => text.match(/NEXUS_\w+/g) ?? []));
  // Only the proxy of compose.yml reads it.
  mentioned.delete('NEXUS_DOMAIN');
  expect([...mentioned].filter((name) => !(name in VARIABLES))).toEqual([]);
});
