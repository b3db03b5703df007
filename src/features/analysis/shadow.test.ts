import { describe, expect, test } from 'vitest';
import { saveDocument, workOff } from '../../../test/support/analysis-documents.ts';
import { createPerson, failure, useApp } from '../../../test/support/app.ts';
import { useDatabase } from '../../../test/support/database.ts';
import { HARBOUR, SPEECH } from '../../../test/support/fixtures/texts.ts';
import { createLibrary, createReader, join } from '../../../test/support/libraries.ts';
import { startModel } from '../../../test/support/model-server.ts';

const model = await startModel();

const database = useDatabase();
const { sql } = database;
const app = useApp(database, { ...model.env, NEXUS_SHADOW_EXECUTION_ENABLED: 'true' });

const analyze = (key: string, body: object) => app.call('POST', '/api/v1/analyze', { key, body });
const read = (key: string, path: string) => app.call('GET', `/api/v1/${path}`, { key });

const comparedEvents = async (runId: string) => [
  ...(await sql`
    select schema_version, payload from outbox_event where event_type = 'analysis.compared' and aggregate_id = ${runId}`),
];

describe('a shadow', () => {
  const shadowOf = async (key: string, media_id: string, fields = {}) => {
    const { status, body } = await analyze(key, { media_id, execution_mode: 'shadow', ...fields });
    expect(status).toBe(202);
    const { data } = body;
    const [job] = await sql`select execution_mode from jobs where id = ${data.job_id}`;
    expect([data.status, job?.execution_mode]).toEqual(['queued', 'shadow']);
    await workOff(app);
    const { result } = (await read(key, `jobs/${data.job_id}`)).body;
    return { runId: result.analysis_run_id, path: `analysis/runs/${result.analysis_run_id}/shadow` };
  };

  test('runs the other profile, and both are compared layer by layer', async () => {
    const person = await createPerson(app);
    const media_id = await saveDocument(sql, person, HARBOUR);
    const { runId, path } = await shadowOf(person.key, media_id, { layers: ['token', 'semiotic'] });
    const { data } = (await read(person.key, path)).body;
    expect(data).toMatchObject({ analysis_run_id: runId, status: 'completed', error_code: null });
    const shadow = await read(person.key, `analysis/runs/${data.shadow_run_id}`);
    expect(shadow.body.data).toMatchObject({
      plugin_profile: 'ml_first',
      shadow_of: runId,
      has_shadow: false,
      layer_count: 2,
    });
    expect((await read(person.key, `analysis/runs/${runId}`)).body.data.has_shadow).toBe(true);
    expect(data.layers).toHaveLength(2);
    const semiotic = data.layers[1];
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
    const told = await sql`select from outbox_event where aggregate_id = ${data.shadow_run_id}`;
    expect(told).toHaveLength(0);
    expect(await comparedEvents(runId)).toEqual([
      {
        schema_version: 2,
        payload: { analysis_run_id: runId, media_id, created_by_user_id: person.user.id },
      },
    ]);
  });

  test('that fails for good does not affect the run, and open pages hear of it', async () => {
    const [owner, member] = [await createReader(app), await createReader(app)];
    const library = await createLibrary(owner);
    const media_id = await saveDocument(sql, owner, HARBOUR);
    await owner.post(`/libraries/${library}/media`, { media_id });
    await join(owner, library, member);
    const { body } = await analyze(owner.key, { media_id, execution_mode: 'shadow' });
    const worker = await app.engine.work({
      concurrency: 1,
      pollSeconds: 0.1,
      graceSeconds: 10,
      queues: ['default'],
      maxJobs: 1,
    });
    await worker.stopped;
    await worker.stop();
    const { result } = (await read(owner.key, `jobs/${body.data.job_id}`)).body;
    const path = `analysis/runs/${result.analysis_run_id}/shadow`;
    expect((await read(member.key, path)).body.data).toMatchObject({
      status: 'pending',
      layers: [],
      agreement: null,
    });
    expect(await comparedEvents(result.analysis_run_id)).toEqual([]);
    await app.services.users.update(owner.id, { is_enabled: false }, { name: 'test' });
    await workOff(app);
    expect((await read(member.key, path)).body.data).toMatchObject({
      status: 'failed',
      error_code: 'E_FORBIDDEN',
      // The texts of a job are for its creator and admins.
      error_text: 'Only the person who started it can read why.',
    });
    expect((await read(member.key, `analysis/runs/${result.analysis_run_id}`)).body.data.layer_count).toBe(9);
    const payload = { analysis_run_id: result.analysis_run_id, media_id, created_by_user_id: owner.id };
    expect(await comparedEvents(result.analysis_run_id)).toEqual([{ schema_version: 2, payload }]);
  });

  test('that does not exist is 404', async () => {
    const person = await createPerson(app);
    const { body } = await analyze(person.key, { media_id: await saveDocument(sql, person, SPEECH) });
    expect(await read(person.key, `analysis/runs/${body.data.analysis_run_id}/shadow`)).toMatchObject(
      failure(404, 'E_NOT_FOUND'),
    );
  });

  test('is refused for other job types', async () => {
    const { key } = await createPerson(app);
    const body = { job_type: 'integrity_audit', payload: {}, execution_mode: 'shadow' };
    expect(await app.call('POST', '/api/v1/jobs/submit', { key, body })).toMatchObject(
      failure(400, 'E_INVALID_REQUEST'),
    );
  });
});

describe('with shadows disabled', () => {
  const plain = useApp(database);

  test('execution_mode shadow is 400', async () => {
    const person = await createPerson(plain);
    const media_id = await saveDocument(sql, person, SPEECH);
    expect(
      await plain.call('POST', '/api/v1/analyze', {
        key: person.key,
        body: { media_id, execution_mode: 'shadow' },
      }),
    ).toMatchObject(failure(400, 'E_SHADOW_DISABLED'));
  });
});
