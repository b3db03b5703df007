import { describe, expect, test } from 'vitest';
import { saveDocument } from '../../../test/support/analysis-documents.ts';
import { createPerson, DEV_KEYS, failure, useApp } from '../../../test/support/app.ts';
import { useDatabase } from '../../../test/support/database.ts';
import { newId } from '../../platform/ids.ts';
import { seedConfiguredPolicy } from './policies.ts';

const database = useDatabase();
const { sql } = database;
const app = useApp(database, { NEXUS_BLOCKED_TERMS: 'falcon, blue door', NEXUS_RAW_MODE_ENABLED: 'true' });
const key = DEV_KEYS.admin;
const policies = (method: string, body?: unknown, id = '') =>
  app.call(method, `/api/v1/governance/policies${id && `/${id}`}`, { key, body });
const evaluate = (text: string, mode = 'PUBLIC', who = key) =>
  app.call('POST', '/api/v1/governance/evaluate', { key: who, body: { text, mode } });
const create = async (body: object) => {
  const answer = await policies('POST', body);
  expect(answer.status).toBe(201);
  return answer.body.data;
};

describe('the policy of the configuration', () => {
  test('exists and redacts in PUBLIC mode', async () => {
    const { body } = await policies('GET');
    expect(body.data).toMatchObject([
      {
        name: 'NEXUS_BLOCKED_TERMS',
        mode: 'PUBLIC',
        action: 'redact',
        terms: ['falcon', 'blue door'],
        source: 'configuration',
      },
    ]);
    expect((await evaluate('The Falcon came through the blue  door.')).body.data).toMatchObject({
      decision: 'redact',
      allow: true,
      text: 'The ██████ came through the ██████████.',
      redactions: [
        { start: 4, end: 10 },
        { start: 28, end: 38 },
      ],
      policy_hits: [{ name: 'NEXUS_BLOCKED_TERMS', action: 'redact', count: 2 }],
    });
  });

  test('can be changed in the configuration only', async () => {
    const [{ id }] = (await policies('GET')).body.data;
    expect(await policies('PATCH', { is_enabled: false }, id)).toMatchObject(failure(409, 'E_INVALID_STATE'));
    expect(await policies('DELETE', undefined, id)).toMatchObject(failure(409, 'E_INVALID_STATE'));
  });

  test('is one row, however many processes start in parallel', async () => {
    const [a, b] = database.twoConnections();
    await Promise.all(
      [a, b, a, b].map((connection) => seedConfiguredPolicy(connection, ['falcon', 'blue door'])),
    );
    expect((await policies('GET')).body.data).toHaveLength(1);
    await seedConfiguredPolicy(sql, []);
    expect((await evaluate('falcon')).body.data.decision).toBe('allow');
    await seedConfiguredPolicy(sql, ['falcon', 'blue door']);
    expect((await evaluate('falcon')).body.data.decision).toBe('redact');
  });
});

describe('policies', () => {
  test('are managed by admins, and audited without their terms', async () => {
    const policy = await create({ name: 'Numbers', action: 'block', patterns: ['\\d{3}-\\d{4}'] });
    expect(policy).toMatchObject({
      mode: 'PUBLIC',
      is_enabled: true,
      source: 'api',
      created_by: 'dev-admin',
    });
    expect((await evaluate('call 555-1234')).body.data).toMatchObject({
      decision: 'block',
      allow: false,
      text: null,
    });
    const changed = await policies('PATCH', { action: 'redact', terms: ['zebra'] }, policy.id);
    expect(changed.body.data).toMatchObject({
      action: 'redact',
      terms: ['zebra'],
      patterns: ['\\d{3}-\\d{4}'],
    });
    expect((await evaluate('zebra 555-1234')).body.data.text).toBe('█████ ████████');
    await policies('PATCH', { is_enabled: false }, policy.id);
    expect((await evaluate('zebra')).body.data.decision).toBe('allow');
    expect((await policies('DELETE', undefined, policy.id)).status).toBe(204);
    expect(await policies('DELETE', undefined, newId())).toMatchObject(failure(404, 'E_NOT_FOUND'));
    const other = await createPerson(app, { role: 'admin' });
    const path = `/api/v1/governance/policies/${policy.id}`;
    expect(await app.call('DELETE', path, { key: other.key })).toMatchObject(failure(404, 'E_NOT_FOUND'));
    // A second request with the same key gets the first answer and changes nothing.
    expect((await policies('DELETE', undefined, policy.id)).status).toBe(204);
    const log =
      await sql`select action, details from audit_logs where details ->> 'policy_id' = ${policy.id} order by id`;
    expect([...log].map(({ action }) => action)).toEqual([
      'governance.policy_created',
      'governance.policy_updated',
      'governance.policy_updated',
      'governance.policy_deleted',
    ]);
    expect(JSON.stringify(log)).not.toContain('zebra');
  });

  test('are at the path that the answer to their creation names', async () => {
    const made = await policies('POST', { name: 'Found again', terms: ['heron'] });
    const location = made.headers.get('location');
    expect(location).toBe(`/api/v1/governance/policies/${made.body.data.id}`);
    const { status, body } = await app.call('GET', location ?? '', { key });
    expect(status).toBe(200);
    expect(body).toEqual(made.body);
    expect(body.data).toMatchObject({ name: 'Found again', terms: ['heron'] });
    const { id } = made.body.data;
    await policies('PATCH', { terms: ['crane'] }, id);
    expect((await policies('GET', undefined, id)).body.data.terms).toEqual(['crane']);
    await policies('DELETE', undefined, id);
    expect(await policies('GET', undefined, id)).toMatchObject(failure(404, 'E_NOT_FOUND'));
    expect(await policies('GET', undefined, newId())).toMatchObject(failure(404, 'E_NOT_FOUND'));
    expect(await policies('GET', undefined, 'not-an-id')).toMatchObject(failure(400, 'E_INVALID_REQUEST'));
    const researcher = { key: DEV_KEYS.researcher };
    expect(await app.call('GET', location ?? '', researcher)).toMatchObject(failure(403, 'E_FORBIDDEN'));
  });

  test.each([
    ['without anything to look for', { name: 'Empty' }],
    ['with a pattern that is none', { name: 'Broken', patterns: ['('] }],
    ['with a pattern that looks back', { name: 'Looking', patterns: ['(?<=a)b'] }],
    ['with a pattern that matches nothing', { name: 'Nothing', patterns: ['a*'] }],
    ['with a name too long', { name: 'x'.repeat(101), terms: ['a'] }],
    ['with an unknown action', { name: 'Odd', action: 'burn', terms: ['a'] }],
    ['with an unknown mode', { name: 'Odd', mode: 'SECRET', terms: ['a'] }],
    ['with a NUL character', { name: 'Odd', terms: ['a\0b'] }],
    ['with too many patterns', { name: 'Many', patterns: Array.from({ length: 21 }, () => 'a') }],
  ])('%s are 400', async (_what, body) => {
    expect(await policies('POST', body)).toMatchObject(failure(400, 'E_INVALID_REQUEST'));
  });

  test('an invalid pattern is named with the reason', async () => {
    const { body } = await policies('POST', { name: 'Broken', patterns: ['ok', '(a'] });
    expect(body.error.message).toBe('patterns.1 is not a valid pattern: a ( is not closed.');
  });

  test('have unique names', async () => {
    const { id } = await create({ name: 'Animals', terms: ['lion'] });
    const other = await create({ name: 'Plants', terms: ['rose'] });
    expect(await policies('POST', { name: 'ANIMALS', terms: ['x'] })).toMatchObject(
      failure(409, 'E_POLICY_NAME_TAKEN'),
    );
    expect(await policies('PATCH', { name: 'animals' }, other.id)).toMatchObject(
      failure(409, 'E_POLICY_NAME_TAKEN'),
    );
    expect((await policies('PATCH', { name: 'animals' }, id)).body.data.name).toBe('animals');
    expect(await policies('PATCH', { terms: [] }, id)).toMatchObject(failure(400, 'E_INVALID_REQUEST'));
    expect(await policies('PATCH', { name: 'x' }, newId())).toMatchObject(failure(404, 'E_NOT_FOUND'));
    for (const each of [id, other.id]) await policies('DELETE', undefined, each);
  });
});

describe('POST /api/v1/governance/evaluate', () => {
  test('RAW has separate policies, and shows what PUBLIC redacts', async () => {
    expect((await evaluate('the falcon', 'RAW')).body.data).toMatchObject({
      decision: 'allow',
      text: 'the falcon',
    });
    const { id } = await create({ name: 'Never', mode: 'RAW', action: 'block', terms: ['plutonium'] });
    expect((await evaluate('plutonium', 'RAW')).body.data.decision).toBe('block');
    expect((await evaluate('plutonium')).body.data.decision).toBe('allow');
    await policies('DELETE', undefined, id);
  });

  test('every decision is audited, without the text', async () => {
    const person = await createPerson(app);
    await evaluate('nothing to see', 'PUBLIC', person.key);
    await evaluate('a falcon', 'PUBLIC', person.key);
    expect(await evaluate('a falcon', 'RAW', person.key)).toMatchObject(failure(403, 'E_MODE_FORBIDDEN'));
    const log =
      await sql`select action, mode, details from audit_logs where actor = ${person.user.username} order by id`;
    expect([...log]).toMatchObject([
      { action: 'governance.decided', details: { decision: 'allow', hit_count: 0 } },
      { action: 'governance.decided', details: { decision: 'redact', hit_count: 1 } },
      { action: 'auth.mode_refused', mode: 'RAW' },
    ]);
    expect(JSON.stringify(log)).not.toContain('falcon');
  });

  test('a text too long, or with a NUL character, is 400', async () => {
    expect(await evaluate('x'.repeat(50_001))).toMatchObject(failure(400, 'E_INVALID_REQUEST'));
    expect(await evaluate('a\0b')).toMatchObject(failure(400, 'E_INVALID_REQUEST'));
  });
});

describe('a run that was made before a policy', () => {
  const analysed = async (text: string) => {
    const person = await createPerson(app);
    const media_id = await saveDocument(sql, person, text);
    const body = { media_id, layers: ['token', 'semantics'] };
    const { body: answer } = await app.call('POST', '/api/v1/analyze', { key: person.key, body });
    const { analysis_run_id } = answer.data;
    const read = () => app.call('GET', `/api/v1/analysis/runs/${analysis_run_id}`, { key: person.key });
    return {
      read,
      analyze: () => app.call('POST', '/api/v1/analyze', { key: person.key, body }),
      id: analysis_run_id,
    };
  };

  test('is redacted by the current policies, and the decision is audited', async () => {
    const { read, id } = await analysed('The zebra saw Marie Curie. The zebra slept.');
    expect(JSON.stringify((await read()).body)).toContain('zebra');
    const policy = await create({ name: 'Zebras', terms: ['zebra', 'marie curie'] });
    const hidden = JSON.stringify((await read()).body).toLowerCase();
    expect(hidden).toContain('█████');
    expect(hidden).not.toMatch(/zebra|curie/);
    const decisions = await sql`
      select details from audit_logs
      where action = 'governance.decided' and details ->> 'analysis_run_id' = ${id} order by id`;
    expect([...decisions].map(({ details }) => details.decision)).toEqual(['allow', 'redact']);
    await policies('DELETE', undefined, policy.id);
    expect(JSON.stringify((await read()).body)).toContain('zebra');
  });

  test('is blocked by a blocking policy, and so is the next run', async () => {
    const { read, analyze } = await analysed('The zebra saw Marie. The zebra slept.');
    const policy = await create({ name: 'No zebras', action: 'block', terms: ['zebra'] });
    expect(await read()).toMatchObject(failure(403, 'E_GOVERNANCE_BLOCKED'));
    expect((await read()).body.error.message).toBe(
      'Blocked by the policy No zebras. An admin can change it.',
    );
    const again = await analyze();
    expect(again).toMatchObject({
      status: 200,
      body: {
        data: { status: 'failed', error_code: 'E_GOVERNANCE_BLOCKED', run: null, analysis_run_id: null },
      },
    });
    expect(JSON.stringify(again.body)).not.toMatch(/zebra\b(?!s)/);
    await policies('DELETE', undefined, policy.id);
    expect((await analyze()).body.data.status).toBe('succeeded');
  });
});
