import { describe, expect, test } from 'vitest';
import { silentLog } from '../../../../test/support/jobs.ts';
import type { LayerOutput, PluginProfile } from '../../../contract/analysis.ts';
import type { LayerPlugin, LayerRequest } from './registry.ts';
import { createPluginRegistry, deterministicPlugin } from './registry.ts';

const output = (summary: string): LayerOutput => ({ summary, measures: {}, findings: [] });
const request: LayerRequest = {
  layer: 'semantics',
  modality: 'text',
  excerpt: { text: 'A text.', fragments: [{ idx: 0, start: 0 }] },
  baseline: { output: output('the rules'), confidence: 0.6 },
};

const model: LayerPlugin = {
  name: 'ml',
  version: 'model-1',
  modalities: ['text', 'pdf'],
  timeoutMs: 1000,
  healthcheck: async () => true,
  supports: () => true,
  run: async () => ({ output: output('the model'), confidence: 0.7 }),
};

const never = () => new Promise<never>(() => undefined);
const run = (profile: PluginProfile, plugins: LayerPlugin[], wanted = request) =>
  createPluginRegistry(plugins, silentLog).chain(profile).execute(wanted, new AbortController().signal);

const byRules = (fallback_reason: string | null) => ({
  output: output('the rules'),
  confidence: 0.6,
  provider_name: 'deterministic',
  provider_version: 'v2.0',
  runtime_ms: expect.any(Number),
  fallback_reason,
});
const byModel = {
  output: output('the model'),
  confidence: 0.7,
  provider_name: 'ml',
  provider_version: 'model-1',
};
const byNobody = {
  output: output('the rules'),
  confidence: 0,
  provider_name: 'baseline',
  fallback_reason: 'all_plugins_failed',
};

test('deterministic asks the rules alone', async () => {
  expect(await run('deterministic', [model, deterministicPlugin])).toEqual(byRules(null));
});

test('ml_first asks the model first', async () => {
  expect(await run('ml_first', [deterministicPlugin, model])).toMatchObject({
    ...byModel,
    fallback_reason: null,
  });
});

test('ml_only asks the model alone', async () => {
  expect(await run('ml_only', [deterministicPlugin, model])).toMatchObject({
    ...byModel,
    fallback_reason: null,
  });
});

describe('a model that', () => {
  const broken: [string, LayerPlugin[], string][] = [
    ['is switched off', [], 'plugin_missing'],
    ['is not well', [{ ...model, healthcheck: async () => false }], 'plugin_unhealthy'],
    [
      'cannot be asked how it is',
      [{ ...model, healthcheck: () => Promise.reject(new Error('no')) }],
      'plugin_unhealthy',
    ],
    ['does not know the layer', [{ ...model, supports: () => false }], 'plugin_unsupported'],
    ['does not know the modality', [{ ...model, modalities: ['pdf'] }], 'plugin_unsupported'],
    ['throws', [{ ...model, run: () => Promise.reject(new Error('no')) }], 'plugin_failed'],
    ['hangs, and heeds no signal', [{ ...model, timeoutMs: 20, run: never }], 'plugin_timeout'],
    [
      'answers in another shape',
      [
        {
          ...model,
          run: async () => ({ output: { text: 'hello' } as unknown as LayerOutput, confidence: 0.5 }),
        },
      ],
      'plugin_invalid_answer',
    ],
    [
      'is surer than sure',
      [{ ...model, run: async () => ({ output: output('x'), confidence: 1.5 }) }],
      'plugin_invalid_answer',
    ],
  ];
  test.each(broken)('%s falls back to the rules, which says why', async (_how, plugins, reason) => {
    expect(await run('ml_first', [...plugins, deterministicPlugin])).toEqual(byRules(reason));
  });

  test.each(broken)(
    '%s leaves the baseline under ml_only, in which nobody is confident',
    async (_how, plugins) => {
      expect(await run('ml_only', [...plugins, deterministicPlugin])).toMatchObject(byNobody);
    },
  );
});

test('health is checked once per run', async () => {
  let asked = 0;
  const counting = {
    ...model,
    healthcheck: async () => {
      asked += 1;
      return true;
    },
  };
  const chain = createPluginRegistry([counting], silentLog).chain('ml_only');
  const { signal } = new AbortController();
  await Promise.all([1, 2, 3].map(() => chain.execute(request, signal)));
  await chain.execute(request, signal);
  expect(asked).toBe(1);
});

test('a plugin that hangs is skipped for the rest of the run', async () => {
  let asked = 0;
  const hanging = {
    ...model,
    timeoutMs: 20,
    run: () => {
      asked += 1;
      return never();
    },
  };
  const chain = createPluginRegistry([hanging, deterministicPlugin], silentLog).chain('ml_first');
  const { signal } = new AbortController();
  expect(await chain.execute(request, signal)).toEqual(byRules('plugin_timeout'));
  expect(await chain.execute(request, signal)).toEqual(byRules('plugin_unhealthy'));
  expect(asked).toBe(1);
});

test('an abort ends a plugin that hangs, and the run with it', async () => {
  const stop = new AbortController();
  const hanging = { ...model, timeoutMs: 60_000, run: never };
  const running = createPluginRegistry([hanging], silentLog).chain('ml_first').execute(request, stop.signal);
  const reason = new Error('cancelled by a person');
  stop.abort(reason);
  await expect(running).rejects.toBe(reason);
});
