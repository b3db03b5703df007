import { text as readAll } from 'node:stream/consumers';
import { beforeEach, describe, expect, test, vi } from 'vitest';
import { saveDocument, workOff } from '../../../test/analysis/documents.ts';
import { type CallOptions, createPerson, failure, useApp } from '../../../test/app.ts';
import { useDatabase } from '../../../test/database.ts';
import { HARBOUR, SPEECH } from '../../../test/fixtures/texts.ts';
import { startSite } from '../../../test/internet.ts';
import { createLibrary, createReader, join } from '../../../test/libraries.ts';
import { LAYERS } from '../../contract/analysis.ts';
import { newId } from '../../platform/ids.ts';

/** A model that has read everything, and sees a lamp in it. */
let sent: string[] = [];
let said = '';
const answer = JSON.stringify({
  summary: 'A lamp burns.',
  findings: [{ kind: 'symbol', label: 'lamp', quote: 'lamp' }],
  confidence: 1,
});
const endpoint = await startSite(async (request, response) => {
  if (request.method === 'POST') sent.push(await readAll(request));
  response.end(JSON.stringify({ choices: [{ message: { content: said } }] }));
});
beforeEach(() => {
  said = answer;
  sent = [];
});

const database = useDatabase();
const { sql } = database;
const app = useApp(database, {
  NEXUS_RAW_MODE_ENABLED: 'true',
  NEXUS_SHADOW_EXECUTION_ENABLED: 'true',
  NEXUS_BLOCKED_TERMS: 'lovelace',
  NEXUS_PLUGIN_ML_ENABLED: 'true',
  NEXUS_PLUGIN_ML_URL: `${endpoint.url}/v1`,
  NEXUS_PLUGIN_ML_MODEL: 'small-model',
  NEXUS_EGRESS_ALLOW: endpoint.host,
});

const analyze = (key: string, body: object, to = app) => to.call('POST', '/api/v1/analyze', { key, body });
const read = (key: string, path: string) => app.call('GET', `/api/v1/${path}`, { key });

describe('POST /api/v1/analyze', () => {
  test('answers with the run: nine layers, with what was found, how sure, and by whom', async () => {
    const person = await createPerson(app);
    const document_id = await saveDocument(sql, person, HARBOUR, SPEECH);
    const { status, body } = await analyze(person.key, { document_id });
    expect(status).toBe(200);
    expect(body).toMatchObject({ status: 'succeeded', execution_mode: 'sync', error_code: null });
    expect(body.run).toMatchObject({
      id: body.analysis_run_id,
      document_id,
      job_id: body.job_id,
      mode: 'PUBLIC',
      plugin_profile: 'deterministic',
      shadow_of: null,
      language: 'en',
      layer_count: 9,
      created_by: person.user.username,
    });
    expect(body.run.layers.map(({ layer }: { layer: string }) => layer)).toEqual(LAYERS);
    for (const layer of body.run.layers) {
      expect(layer).toMatchObject({
        provider_name: 'deterministic',
        provider_version: 'v2.0',
        fallback_reason: null,
      });
      expect(layer.output.summary).toMatch(/\.$/);
    }
    const rhetoric = body.run.layers.find(({ layer }: { layer: string }) => layer === 'rhetoric');
    const anaphora = rhetoric.output.findings.find(({ label }: { label: string }) => label === 'we will');
    const [{ fragment_idx, start, end }] = anaphora.spans;
    expect(fragment_idx).toBe(1);
    expect(SPEECH.slice(start, end)).toMatch(/^We will rebuild the house.*bridge\.$/);

    expect((await read(person.key, `analysis/runs/${body.analysis_run_id}`)).body).toEqual(body.run);
    const listed = await read(person.key, `analysis/runs?document_id=${document_id}`);
    const { layers, text_sha256, ...summary } = body.run;
    expect(listed.body).toEqual({ runs: [summary], page: { next_cursor: null, has_more: false } });
    expect(sent).toEqual([]);
  });

  test('leaves an artifact, an event and a decision in the audit log, once each', async () => {
    const person = await createPerson(app);
    const document_id = await saveDocument(sql, person, HARBOUR);
    const { body } = await analyze(person.key, { document_id });
    const expected = { analysis_run_id: body.analysis_run_id, layer_count: 9 };
    const job = await read(person.key, `jobs/${body.job_id}`);
    expect(job.body).toMatchObject({
      result: expected,
      artifacts: [{ artifact_type: 'analyze_result', artifact_payload: expected }],
    });
    const events = await sql`
      select event_type, payload from outbox_event where aggregate_id = ${body.analysis_run_id}`;
    expect([...events]).toEqual([
      {
        event_type: 'analysis.completed',
        payload: { ...expected, document_id, created_by_user_id: person.user.id },
      },
    ]);
    const decisions = await sql`
      select mode, actor, details from audit_logs
      where action = 'governance.decided' and details ->> 'analysis_run_id' = ${body.analysis_run_id}`;
    expect([...decisions]).toMatchObject([
      { mode: 'PUBLIC', actor: person.user.username, details: { decision: 'redact', document_id } },
    ]);
    expect(JSON.stringify(decisions).toLowerCase()).not.toContain('lovelace');
  });

  test('reads only the layers that are asked for', async () => {
    const person = await createPerson(app);
    const document_id = await saveDocument(sql, person, HARBOUR);
    const { body } = await analyze(person.key, { document_id, layers: ['rhetoric', 'token'] });
    expect(body.run.layers.map(({ layer }: { layer: string }) => layer)).toEqual(['token', 'rhetoric']);
  });

  test('the same document gives the same layers, each time', async () => {
    const person = await createPerson(app);
    const document_id = await saveDocument(sql, person, HARBOUR);
    const outputs = async () => {
      const { body } = await analyze(person.key, { document_id });
      return JSON.stringify(
        body.run.layers.map(({ output, confidence }: CallOptions & Record<string, unknown>) => [
          output,
          confidence,
        ]),
      );
    };
    expect(await outputs()).toBe(await outputs());
  });

  test('an empty text is analysed, too', async () => {
    const person = await createPerson(app);
    const { body } = await analyze(person.key, { document_id: await saveDocument(sql, person, '') });
    expect(body.run).toMatchObject({ confidence: 0, word_count: 0, language: 'und' });
  });

  test('async is queued, and found when a worker has done it', async () => {
    const person = await createPerson(app);
    const document_id = await saveDocument(sql, person, HARBOUR);
    const { body } = await analyze(person.key, { document_id, execution_mode: 'async' });
    expect(body).toMatchObject({ status: 'queued', analysis_run_id: null, run: null });
    await workOff(app);
    const job = await read(person.key, `jobs/${body.job_id}`);
    expect(job.body.status).toBe('succeeded');
    const run = await read(person.key, `analysis/runs/${job.body.result.analysis_run_id}`);
    expect(run).toMatchObject({ status: 200, body: { job_id: body.job_id } });
  });

  test.each([
    ['no document', {}],
    ['a layer that does not exist', { document_id: newId(), layers: ['astrology'] }],
    ['a layer twice', { document_id: newId(), layers: ['token', 'token'] }],
    ['no layer', { document_id: newId(), layers: [] }],
    ['an unknown profile', { document_id: newId(), plugin_profile: 'best' }],
    ['an unknown mode', { document_id: newId(), mode: 'SECRET' }],
    ['a field too many', { document_id: newId(), force: true }],
  ])('with %s is 400', async (_what, body) => {
    const { key } = await createPerson(app);
    expect(await analyze(key, body)).toMatchObject(failure(400, 'E_INVALID_REQUEST'));
  });

  test('a document that the caller may not read does not exist', async () => {
    const [owner, stranger] = [await createPerson(app), await createPerson(app)];
    const document_id = await saveDocument(sql, owner, HARBOUR);
    const payload = { document_id, mode: 'PUBLIC', plugin_profile: 'deterministic' };
    expect(await analyze(stranger.key, { document_id })).toMatchObject(failure(404, 'E_MEDIA_NOT_FOUND'));
    expect(await analyze(stranger.key, { document_id: newId() })).toMatchObject(
      failure(404, 'E_MEDIA_NOT_FOUND'),
    );
    const job = { key: stranger.key, body: { job_type: 'analyze', payload } };
    expect(await app.call('POST', '/api/v1/jobs/submit', job)).toMatchObject(
      failure(404, 'E_MEDIA_NOT_FOUND'),
    );
  });

  test('a document without text yet is 409', async () => {
    const person = await createPerson(app);
    const document_id = await saveDocument(sql, person);
    expect(await analyze(person.key, { document_id })).toMatchObject(failure(409, 'E_INVALID_STATE'));
  });
});

describe('rights are those of the moment', () => {
  test('access that is lost before the work begins: it fails for good, and says why', async () => {
    const reader = await createReader(app);
    const document_id = await saveDocument(sql, reader, HARBOUR);
    const { body } = await analyze(reader.key, { document_id, execution_mode: 'async' });
    expect((await reader.delete(`/media/${document_id}`)).status).toBe(204);
    await workOff(app);
    const job = await read(reader.key, `jobs/${body.job_id}`);
    expect(job.body).toMatchObject({ status: 'failed', attempt_count: 1, error_code: 'E_MEDIA_NOT_FOUND' });
    expect(job.body.error_text).toMatch(/may not read it any more/);
    expect(await sql`select from analysis_runs where document_id = ${document_id}`).toHaveLength(0);
  });

  test('whoever loses a document loses its runs, and hears no more of them', async () => {
    const [owner, member] = [await createReader(app), await createReader(app)];
    const library = await createLibrary(owner);
    const document_id = await saveDocument(sql, owner, HARBOUR);
    await owner.post(`/libraries/${library}/media`, { media_id: document_id });
    await join(owner, library, member);
    const { body } = await analyze(owner.key, { document_id });
    const paths = [`analysis/runs/${body.analysis_run_id}`, `analysis/runs?document_id=${document_id}`];
    const heard = async () =>
      JSON.stringify((await read(member.key, 'events?limit=200')).body).includes(body.analysis_run_id);
    for (const path of paths) expect((await read(member.key, path)).status).toBe(200);
    expect(await heard()).toBe(true);
    await owner.delete(`/libraries/${library}/members/${member.id}`);
    for (const path of paths) expect((await read(member.key, path)).status).toBe(404);
    expect((await read(member.key, `${paths[0]}/shadow`)).status).toBe(404);
    expect(await heard()).toBe(false);
    expect((await read(owner.key, paths[0] ?? '')).status).toBe(200);
  });

  test('whoever was disabled in the meantime gets nothing done', async () => {
    const person = await createPerson(app);
    const document_id = await saveDocument(sql, person, HARBOUR);
    const { body } = await analyze(person.key, { document_id, execution_mode: 'async' });
    await app.services.users.update(person.user.id, { disabled: true }, { name: 'test' });
    await workOff(app);
    const [attempt] = await sql`select error_code from job_attempts where job_id = ${body.job_id}`;
    expect(attempt).toEqual({ error_code: 'E_FORBIDDEN' });
  });

  test('RAW rights that are gone by then: not analysed', async () => {
    const person = await createPerson(app, { raw: true });
    const document_id = await saveDocument(sql, person, HARBOUR);
    const { body } = await analyze(person.key, { document_id, mode: 'RAW', execution_mode: 'async' });
    await app.services.users.update(person.user.id, { role: 'operator' }, { name: 'test' });
    await workOff(app);
    const [attempt] = await sql`select error_code from job_attempts where job_id = ${body.job_id}`;
    expect(attempt).toEqual({ error_code: 'E_MODE_FORBIDDEN' });
  });

  test('a document that is deleted takes its runs with it', async () => {
    const person = await createPerson(app);
    const document_id = await saveDocument(sql, person, HARBOUR);
    const { body } = await analyze(person.key, { document_id });
    await sql`delete from media where id = ${document_id}`;
    expect(await read(person.key, `analysis/runs/${body.analysis_run_id}`)).toMatchObject(
      failure(404, 'E_NOT_FOUND'),
    );
    expect(await sql`select from analysis_layers where run_id = ${body.analysis_run_id}`).toHaveLength(0);
  });
});

test('a job that is cancelled in the middle stops, and leaves nothing', async () => {
  const person = await createPerson(app);
  const document_id = await saveDocument(sql, person, `${HARBOUR} ${SPEECH}\n`.repeat(4000));
  const { body } = await analyze(person.key, { document_id, execution_mode: 'async' });
  const worker = await app.engine.work({
    concurrency: 1,
    pollSeconds: 0.1,
    graceSeconds: 0,
    queues: ['default'],
  });
  await vi.waitFor(async () => {
    expect((await read(person.key, `jobs/${body.job_id}`)).body.status).toBe('running');
  }, 20_000);
  await app.call('POST', `/api/v1/jobs/${body.job_id}/cancel`, { key: person.key });
  await worker.stop();
  expect((await read(person.key, `jobs/${body.job_id}`)).body.status).toBe('cancelled');
  expect(await sql`select from analysis_runs where document_id = ${document_id}`).toHaveLength(0);
});

describe('a model', () => {
  test('is asked first under ml_first, and adds at most a tenth to the confidence of the rules', async () => {
    const person = await createPerson(app);
    const document_id = await saveDocument(sql, person, HARBOUR);
    const rules = (await analyze(person.key, { document_id })).body.run.layers;
    const { body } = await analyze(person.key, { document_id, plugin_profile: 'ml_first' });
    expect(sent).toHaveLength(9);
    for (const [index, layer] of body.run.layers.entries()) {
      expect(layer).toMatchObject({
        provider_name: 'ml',
        provider_version: 'small-model',
        fallback_reason: null,
      });
      expect(layer.confidence).toBeLessThanOrEqual(Math.min(0.95, rules[index].confidence + 0.1) + 1e-9);
    }
  });

  test('may say what PostgreSQL cannot store', async () => {
    const person = await createPerson(app);
    const document_id = await saveDocument(sql, person, SPEECH);
    said = JSON.stringify({ summary: 'a\0b \ud83d \\ud83d', findings: [], confidence: 0.5 });
    const { body } = await analyze(person.key, { document_id, plugin_profile: 'ml_only', layers: ['token'] });
    expect(body.run.layers[0].output.summary).toBe('a\ufffdb \ufffd \\ud83d');
  });

  test('is held to the policies in what it says itself', async () => {
    const person = await createPerson(app);
    const document_id = await saveDocument(sql, person, SPEECH);
    said = JSON.stringify({ summary: 'It is about Ada Lovelace.', findings: [], confidence: 0.5 });
    const { body } = await analyze(person.key, { document_id, plugin_profile: 'ml_only', layers: ['token'] });
    expect(body.run.layers[0].output.summary).toBe('It is about Ada ████████.');
  });

  test('is shown the text as the mode allows', async () => {
    const person = await createPerson(app, { raw: true });
    const document_id = await saveDocument(sql, person, HARBOUR);
    await analyze(person.key, { document_id, plugin_profile: 'ml_only', layers: ['semantics'] });
    expect(sent.join()).toContain('Ada ████████');
    expect(sent.join()).not.toContain('Lovelace');
    await analyze(person.key, { document_id, plugin_profile: 'ml_only', layers: ['semantics'], mode: 'RAW' });
    expect(sent.join()).toContain('Ada Lovelace');
  });
});

describe('in the shadow', () => {
  const shadowOf = async (key: string, document_id: string, fields = {}) => {
    const { body } = await analyze(key, { document_id, execution_mode: 'shadow', ...fields });
    const [job] = await sql`select execution_mode from jobs where id = ${body.job_id}`;
    expect([body.status, job?.execution_mode]).toEqual(['queued', 'shadow']);
    await workOff(app);
    const { result } = (await read(key, `jobs/${body.job_id}`)).body;
    return { runId: result.analysis_run_id, path: `analysis/runs/${result.analysis_run_id}/shadow` };
  };

  test('of a run, the other profile runs, and both are compared layer by layer', async () => {
    const person = await createPerson(app);
    const document_id = await saveDocument(sql, person, HARBOUR);
    const { runId, path } = await shadowOf(person.key, document_id, { layers: ['token', 'semiotic'] });
    const { body } = await read(person.key, path);
    expect(body).toMatchObject({ analysis_run_id: runId, status: 'completed', error_code: null });
    const shadow = await read(person.key, `analysis/runs/${body.shadow_run_id}`);
    expect(shadow.body).toMatchObject({ plugin_profile: 'ml_first', shadow_of: runId, layer_count: 2 });
    expect(body.layers).toHaveLength(2);
    const semiotic = body.layers[1];
    expect(semiotic).toMatchObject({
      layer: 'semiotic',
      findings_in_both: 1,
      only_in_shadow: [],
      changed_measures: [],
      provider_name: { primary: 'deterministic', shadow: 'ml' },
      fallback_reason: { primary: null, shadow: null },
    });
    expect(semiotic.only_in_primary).toContainEqual({ kind: 'symbol', label: 'harbour' });
    expect(semiotic.agreement).toBeGreaterThan(0);
    expect(semiotic.agreement).toBeLessThan(1);
    expect(semiotic.confidence.shadow).toBeGreaterThan(semiotic.confidence.primary);
    const told = await sql`select from outbox_event where aggregate_id = ${body.shadow_run_id}`;
    expect(told).toHaveLength(0);
  });

  test('a failure never touches the run', async () => {
    const [owner, member] = [await createReader(app), await createReader(app)];
    const library = await createLibrary(owner);
    const document_id = await saveDocument(sql, owner, HARBOUR);
    await owner.post(`/libraries/${library}/media`, { media_id: document_id });
    await join(owner, library, member);
    const { body } = await analyze(owner.key, { document_id, execution_mode: 'shadow' });
    const worker = await app.engine.work({
      concurrency: 1,
      pollSeconds: 0.1,
      graceSeconds: 10,
      queues: ['default'],
      maxJobs: 1,
    });
    await worker.stopped;
    await worker.stop();
    const { result } = (await read(owner.key, `jobs/${body.job_id}`)).body;
    const path = `analysis/runs/${result.analysis_run_id}/shadow`;
    expect((await read(member.key, path)).body).toMatchObject({
      status: 'pending',
      layers: [],
      agreement: null,
    });
    await app.services.users.update(owner.id, { disabled: true }, { name: 'test' });
    await workOff(app);
    expect((await read(member.key, path)).body).toMatchObject({
      status: 'failed',
      error_code: 'E_FORBIDDEN',
    });
    expect((await read(member.key, `analysis/runs/${result.analysis_run_id}`)).body.layer_count).toBe(9);
  });

  test('a run that has no shadow says so', async () => {
    const person = await createPerson(app);
    const { body } = await analyze(person.key, { document_id: await saveDocument(sql, person, SPEECH) });
    expect(await read(person.key, `analysis/runs/${body.analysis_run_id}/shadow`)).toMatchObject(
      failure(404, 'E_NOT_FOUND'),
    );
  });

  test('other jobs have none', async () => {
    const { key } = await createPerson(app);
    const body = { job_type: 'integrity_audit', payload: {}, execution_mode: 'shadow' };
    expect(await app.call('POST', '/api/v1/jobs/submit', { key, body })).toMatchObject(
      failure(400, 'E_INVALID_REQUEST'),
    );
  });
});

describe('where shadows and models are switched off', () => {
  const plain = useApp(database);

  test('execution_mode shadow is 400', async () => {
    const person = await createPerson(plain);
    const document_id = await saveDocument(sql, person, SPEECH);
    expect(await analyze(person.key, { document_id, execution_mode: 'shadow' }, plain)).toMatchObject(
      failure(400, 'E_SHADOW_DISABLED'),
    );
  });

  test('ml_first falls back to the rules, and ml_only to a baseline that nobody vouches for', async () => {
    const person = await createPerson(plain);
    const document_id = await saveDocument(sql, person, SPEECH);
    const first = await analyze(
      person.key,
      { document_id, plugin_profile: 'ml_first', layers: ['token'] },
      plain,
    );
    expect(first.body.run.layers[0]).toMatchObject({
      provider_name: 'deterministic',
      fallback_reason: 'plugin_missing',
    });
    const only = await analyze(
      person.key,
      { document_id, plugin_profile: 'ml_only', layers: ['token'] },
      plain,
    );
    expect(only.body.run).toMatchObject({
      confidence: 0,
      layers: [{ provider_name: 'baseline', confidence: 0, fallback_reason: 'all_plugins_failed' }],
    });
    expect(sent).toEqual([]);
  });
});

test('a list goes on from page to page, newest first', async () => {
  const person = await createPerson(app);
  const document_id = await saveDocument(sql, person, SPEECH);
  const ids: string[] = [];
  for (let run = 0; run < 3; run++) {
    ids.unshift((await analyze(person.key, { document_id, layers: ['token'] })).body.analysis_run_id);
  }
  const first = await read(person.key, `analysis/runs?document_id=${document_id}&limit=2`);
  const second = await read(
    person.key,
    `analysis/runs?document_id=${document_id}&limit=2&cursor=${first.body.page.next_cursor}`,
  );
  expect([...first.body.runs, ...second.body.runs].map(({ id }: { id: string }) => id)).toEqual(ids);
  expect(await read(person.key, 'analysis/runs')).toMatchObject(failure(400, 'E_INVALID_REQUEST'));
});
