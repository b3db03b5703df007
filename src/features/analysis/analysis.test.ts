import { describe, expect, test, vi } from 'vitest';
import { saveDocument, workOff } from '../../../test/support/analysis-documents.ts';
import { type CallOptions, createPerson, failure, useApp } from '../../../test/support/app.ts';
import { useDatabase } from '../../../test/support/database.ts';
import { HARBOUR, SPEECH } from '../../../test/support/fixtures/texts.ts';
import { LAYERS } from '../../contract/analysis.ts';
import { newId } from '../../platform/ids.ts';

const database = useDatabase();
const { sql } = database;
const app = useApp(database, { NEXUS_BLOCKED_TERMS: 'lovelace' });

const analyze = (key: string, body: object) => app.call('POST', '/api/v1/analyze', { key, body });
const read = (key: string, path: string) => app.call('GET', `/api/v1/${path}`, { key });

describe('POST /api/v1/analyze', () => {
  test('returns the run: nine layers with findings, confidence and provider', async () => {
    const person = await createPerson(app);
    const media_id = await saveDocument(sql, person, HARBOUR, SPEECH);
    const { status, body } = await analyze(person.key, { media_id });
    expect(status).toBe(200);
    const { data } = body;
    expect(data).toMatchObject({ status: 'succeeded', execution_mode: 'sync', error_code: null });
    expect(data.run).toMatchObject({
      id: data.analysis_run_id,
      media_id,
      job_id: data.job_id,
      mode: 'PUBLIC',
      plugin_profile: 'deterministic',
      shadow_of: null,
      language: 'en',
      layer_count: 9,
      created_by: person.user.username,
    });
    expect(data.run.layers.map(({ layer }: { layer: string }) => layer)).toEqual(LAYERS);
    for (const layer of data.run.layers) {
      expect(layer).toMatchObject({
        provider_name: 'deterministic',
        provider_version: 'v2.0',
        fallback_reason: null,
      });
      expect(layer.output.summary).toMatch(/\.$/);
    }
    const rhetoric = data.run.layers.find(({ layer }: { layer: string }) => layer === 'rhetoric');
    const anaphora = rhetoric.output.findings.find(({ label }: { label: string }) => label === 'we will');
    const [{ fragment_idx, start, end }] = anaphora.spans;
    expect(fragment_idx).toBe(1);
    expect(SPEECH.slice(start, end)).toMatch(/^We will rebuild the house.*bridge\.$/);

    expect((await read(person.key, `analysis/runs/${data.analysis_run_id}`)).body).toEqual({
      data: data.run,
    });
    const listed = await read(person.key, `analysis/runs?media_id=${media_id}`);
    const { layers, text_sha256, ...summary } = data.run;
    expect(listed.body).toEqual({ data: [summary], page: { next_cursor: null, has_more: false } });
  });

  test('writes an artifact, an event and an audit entry, once each', async () => {
    const person = await createPerson(app);
    const media_id = await saveDocument(sql, person, HARBOUR);
    const { data } = (await analyze(person.key, { media_id })).body;
    const expected = { analysis_run_id: data.analysis_run_id, layer_count: 9 };
    const job = await read(person.key, `jobs/${data.job_id}`);
    expect(job.body).toMatchObject({
      result: expected,
      artifacts: [{ artifact_type: 'analyze_result', artifact_payload: expected }],
    });
    const events = await sql`
      select event_type, schema_version, payload from outbox_event where aggregate_id = ${data.analysis_run_id}`;
    expect([...events]).toEqual([
      {
        event_type: 'analysis.completed',
        schema_version: 2,
        payload: { ...expected, media_id, created_by_user_id: person.user.id },
      },
    ]);
    const decisions = await sql`
      select mode, actor, details from audit_logs
      where action = 'governance.decided' and details ->> 'analysis_run_id' = ${data.analysis_run_id}`;
    expect([...decisions]).toMatchObject([
      { mode: 'PUBLIC', actor: person.user.username, details: { decision: 'redact', media_id } },
    ]);
    expect(JSON.stringify(decisions).toLowerCase()).not.toContain('lovelace');
  });

  test('runs only the requested layers', async () => {
    const person = await createPerson(app);
    const media_id = await saveDocument(sql, person, HARBOUR);
    const { body } = await analyze(person.key, { media_id, layers: ['rhetoric', 'token'] });
    expect(body.data.run.layers.map(({ layer }: { layer: string }) => layer)).toEqual(['token', 'rhetoric']);
  });

  test('the same document gives the same layers, each time', async () => {
    const person = await createPerson(app);
    const media_id = await saveDocument(sql, person, HARBOUR);
    const outputs = async () => {
      const { body } = await analyze(person.key, { media_id });
      return JSON.stringify(
        body.data.run.layers.map(({ output, confidence }: CallOptions & Record<string, unknown>) => [
          output,
          confidence,
        ]),
      );
    };
    expect(await outputs()).toBe(await outputs());
  });

  test('an empty text can be analysed', async () => {
    const person = await createPerson(app);
    const { body } = await analyze(person.key, { media_id: await saveDocument(sql, person, '') });
    expect(body.data.run).toMatchObject({ confidence: 0, word_count: 0, language: 'und' });
  });

  test('async is enqueued, and a worker completes it', async () => {
    const person = await createPerson(app);
    const media_id = await saveDocument(sql, person, HARBOUR);
    const { status, body } = await analyze(person.key, { media_id, execution_mode: 'async' });
    expect(status).toBe(202);
    const { data } = body;
    expect(data).toMatchObject({ status: 'queued', analysis_run_id: null, run: null });
    await workOff(app);
    const job = await read(person.key, `jobs/${data.job_id}`);
    expect(job.body.status).toBe('succeeded');
    const run = await read(person.key, `analysis/runs/${job.body.result.analysis_run_id}`);
    expect(run).toMatchObject({ status: 200, body: { data: { job_id: data.job_id } } });
  });

  test.each([
    ['no document', {}],
    ['a document under both names', { media_id: newId(), document_id: newId() }],
    ['a layer that does not exist', { media_id: newId(), layers: ['astrology'] }],
    ['a layer twice', { media_id: newId(), layers: ['token', 'token'] }],
    ['no layer', { media_id: newId(), layers: [] }],
    ['an unknown profile', { media_id: newId(), plugin_profile: 'best' }],
    ['an unknown mode', { media_id: newId(), mode: 'SECRET' }],
    ['an unknown field', { media_id: newId(), force: true }],
  ])('with %s is 400', async (_what, body) => {
    const { key } = await createPerson(app);
    expect(await analyze(key, body)).toMatchObject(failure(400, 'E_INVALID_REQUEST'));
  });

  test('an unreadable document is 404', async () => {
    const [owner, stranger] = [await createPerson(app), await createPerson(app)];
    const media_id = await saveDocument(sql, owner, HARBOUR);
    const payload = { media_id, mode: 'PUBLIC', plugin_profile: 'deterministic' };
    expect(await analyze(stranger.key, { media_id })).toMatchObject(failure(404, 'E_MEDIA_NOT_FOUND'));
    expect(await analyze(stranger.key, { media_id: newId() })).toMatchObject(
      failure(404, 'E_MEDIA_NOT_FOUND'),
    );
    const job = { key: stranger.key, body: { job_type: 'analyze', payload } };
    expect(await app.call('POST', '/api/v1/jobs/submit', job)).toMatchObject(
      failure(404, 'E_MEDIA_NOT_FOUND'),
    );
  });

  test('a document may also be named document_id, as before', async () => {
    const person = await createPerson(app);
    const document_id = await saveDocument(sql, person, HARBOUR);
    const analysed = await analyze(person.key, { document_id, layers: ['token'] });
    expect(analysed).toMatchObject({
      status: 200,
      body: { data: { status: 'succeeded', run: { media_id: document_id } } },
    });
    expect(analysed.body.data.run).not.toHaveProperty('document_id');
  });

  test.each(['media_id', 'document_id'])('a job may name its document %s', async (field) => {
    const person = await createPerson(app);
    const document = await saveDocument(sql, person, HARBOUR);
    const body = {
      job_type: 'analyze',
      payload: { [field]: document, layers: ['token'] },
      execution_mode: 'sync',
    };
    const submitted = await app.call('POST', '/api/v1/jobs/submit', { key: person.key, body });
    expect(submitted).toMatchObject({ status: 200, body: { status: 'succeeded' } });
    const { result } = (await read(person.key, `jobs/${submitted.body.job_id}`)).body;
    const run = await read(person.key, `analysis/runs/${result.analysis_run_id}`);
    expect(run.body.data.media_id).toBe(document);
  });

  test.each([
    ['no document', {}],
    ['a document under both names', { media_id: newId(), document_id: newId() }],
  ])('a job with %s is 400', async (_what, payload) => {
    const { key } = await createPerson(app);
    const body = { job_type: 'analyze', payload };
    expect(await app.call('POST', '/api/v1/jobs/submit', { key, body })).toMatchObject(
      failure(400, 'E_INVALID_REQUEST'),
    );
  });

  test('a document without text yet is 409', async () => {
    const person = await createPerson(app);
    const media_id = await saveDocument(sql, person);
    expect(await analyze(person.key, { media_id })).toMatchObject(failure(409, 'E_INVALID_STATE'));
  });
});

test('a cancelled job stops and writes nothing', async () => {
  const person = await createPerson(app);
  const media_id = await saveDocument(sql, person, `${HARBOUR} ${SPEECH}\n`.repeat(4000));
  const { body } = await analyze(person.key, { media_id, execution_mode: 'async' });
  const { job_id } = body.data;
  const worker = await app.engine.work({
    concurrency: 1,
    pollSeconds: 0.1,
    graceSeconds: 0,
    queues: ['default'],
  });
  await vi.waitFor(async () => {
    expect((await read(person.key, `jobs/${job_id}`)).body.status).toBe('running');
  }, 20_000);
  await app.call('POST', `/api/v1/jobs/${job_id}/cancel`, { key: person.key });
  await worker.stop();
  expect((await read(person.key, `jobs/${job_id}`)).body.status).toBe('cancelled');
  expect(await sql`select from analysis_runs where document_id = ${media_id}`).toHaveLength(0);
});

test('runs are listed newest first, page by page', async () => {
  const person = await createPerson(app);
  const media_id = await saveDocument(sql, person, SPEECH);
  const ids: string[] = [];
  for (let run = 0; run < 3; run++) {
    ids.unshift((await analyze(person.key, { media_id, layers: ['token'] })).body.data.analysis_run_id);
  }
  const first = await read(person.key, `analysis/runs?media_id=${media_id}&limit=2`);
  const second = await read(
    person.key,
    `analysis/runs?media_id=${media_id}&limit=2&cursor=${first.body.page.next_cursor}`,
  );
  expect([...first.body.data, ...second.body.data].map(({ id }: { id: string }) => id)).toEqual(ids);
  expect(await read(person.key, 'analysis/runs')).toMatchObject(failure(400, 'E_INVALID_REQUEST'));
});
