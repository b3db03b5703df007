import { beforeEach, describe, expect, test } from 'vitest';
import { saveDocument } from '../../../test/support/analysis-documents.ts';
import { createPerson, useApp } from '../../../test/support/app.ts';
import { useDatabase } from '../../../test/support/database.ts';
import { HARBOUR, SPEECH } from '../../../test/support/fixtures/texts.ts';
import { startModel } from '../../../test/support/model-server.ts';

const model = await startModel();
beforeEach(() => model.says());

const database = useDatabase();
const { sql } = database;
const app = useApp(database, {
  ...model.env,
  NEXUS_RAW_MODE_ENABLED: 'true',
  NEXUS_BLOCKED_TERMS: 'lovelace',
});

/** The policy of the configuration is one for all processes. */
const plain = useApp(database, { NEXUS_BLOCKED_TERMS: 'lovelace' });

const analyze = (key: string, body: object, to = app) => to.call('POST', '/api/v1/analyze', { key, body });

describe('a model', () => {
  test('is not used by default', async () => {
    const person = await createPerson(app);
    await analyze(person.key, { media_id: await saveDocument(sql, person, HARBOUR) });
    expect(model.sent).toEqual([]);
  });

  test('is asked first under ml_first, and adds at most a tenth to the confidence of the rules', async () => {
    const person = await createPerson(app);
    const media_id = await saveDocument(sql, person, HARBOUR);
    const rules = (await analyze(person.key, { media_id })).body.data.run.layers;
    const { body } = await analyze(person.key, { media_id, plugin_profile: 'ml_first' });
    expect(model.sent).toHaveLength(9);
    for (const [index, layer] of body.data.run.layers.entries()) {
      expect(layer).toMatchObject({
        provider_name: 'ml',
        provider_version: 'small-model',
        fallback_reason: null,
      });
      expect(layer.confidence).toBeLessThanOrEqual(Math.min(0.95, rules[index].confidence + 0.1) + 1e-9);
    }
  });

  test('may return characters that PostgreSQL cannot store', async () => {
    const person = await createPerson(app);
    const media_id = await saveDocument(sql, person, SPEECH);
    model.says({ summary: 'a\0b \ud83d \\ud83d', findings: [], confidence: 0.5 });
    const { body } = await analyze(person.key, { media_id, plugin_profile: 'ml_only', layers: ['token'] });
    expect(body.data.run.layers[0].output.summary).toBe('a\ufffdb \ufffd \\ud83d');
  });

  test('has its output redacted by policies', async () => {
    const person = await createPerson(app);
    const media_id = await saveDocument(sql, person, SPEECH);
    model.says({ summary: 'It is about Ada Lovelace.', findings: [], confidence: 0.5 });
    const { body } = await analyze(person.key, { media_id, plugin_profile: 'ml_only', layers: ['token'] });
    expect(body.data.run.layers[0].output.summary).toBe('It is about Ada ████████.');
  });

  test('gets the text as the mode allows', async () => {
    const person = await createPerson(app, { raw: true });
    const media_id = await saveDocument(sql, person, HARBOUR);
    await analyze(person.key, { media_id, plugin_profile: 'ml_only', layers: ['semantics'] });
    expect(model.sent.join()).toContain('Ada ████████');
    expect(model.sent.join()).not.toContain('Lovelace');
    await analyze(person.key, { media_id, plugin_profile: 'ml_only', layers: ['semantics'], mode: 'RAW' });
    expect(model.sent.join()).toContain('Ada Lovelace');
  });
});

describe('the profiles', () => {
  const read = async (to = app) => {
    const { key } = await createPerson(to, { role: 'viewer' });
    return (await to.call('GET', '/api/v1/analysis/profiles', { key })).body.data;
  };
  const rules = { name: 'deterministic', version: 'v2.0' };

  test('with a model', async () => {
    const small = { name: 'ml', version: 'small-model' };
    expect(await read()).toEqual({
      profiles: [
        { plugin_profile: 'deterministic', is_available: true, plugins: [rules] },
        { plugin_profile: 'ml_first', is_available: true, plugins: [small, rules] },
        { plugin_profile: 'ml_only', is_available: true, plugins: [small] },
      ],
      is_shadow_enabled: false,
    });
  });

  test('without one', async () => {
    const { profiles } = await read(plain);
    expect(profiles[1]).toEqual({
      plugin_profile: 'ml_first',
      is_available: false,
      plugins: [{ name: 'ml', version: null }, rules],
    });
    expect(profiles[0].is_available).toBe(true);
  });
});

describe('where models are switched off', () => {
  test('ml_first falls back to the rules, and ml_only to a baseline with confidence 0', async () => {
    const person = await createPerson(plain);
    const media_id = await saveDocument(sql, person, SPEECH);
    const first = await analyze(
      person.key,
      { media_id, plugin_profile: 'ml_first', layers: ['token'] },
      plain,
    );
    expect(first.body.data.run.layers[0]).toMatchObject({
      provider_name: 'deterministic',
      fallback_reason: 'plugin_missing',
    });
    const only = await analyze(person.key, { media_id, plugin_profile: 'ml_only', layers: ['token'] }, plain);
    expect(only.body.data.run).toMatchObject({
      confidence: 0,
      layers: [{ provider_name: 'baseline', confidence: 0, fallback_reason: 'all_plugins_failed' }],
    });
    expect(model.sent).toEqual([]);
  });
});
