import {
  type AnalysedLayer,
  LAYERS,
  type LayerName,
  type LayerOutput,
  layerOutput,
  MODALITIES,
  type Modality,
  PLUGIN_PROFILES,
  type PluginProfile,
} from '../../../contract/analysis.ts';
import type { Logger } from '../../../platform/telemetry/logger.ts';
import type { Baseline } from '../layer-pipeline.ts';
import type { DocumentText } from '../text.ts';

/** A request to analyse one layer of one text. */
export interface LayerRequest {
  layer: LayerName;
  modality: Modality;
  /** The beginning of the text, redacted as the mode requires, with the start of each fragment. */
  excerpt: DocumentText;
  /** The output of the deterministic rules. */
  baseline: Baseline;
}

/** A plugin that analyses layers. */
export interface LayerPlugin {
  name: string;
  version: string;
  modalities: readonly Modality[];
  /** A plugin that takes longer is skipped. */
  timeoutMs: number;
  healthcheck(signal: AbortSignal): Promise<boolean>;
  supports(layer: LayerName, modality: Modality): boolean;
  run(request: LayerRequest, signal: AbortSignal): Promise<{ output: LayerOutput; confidence: number }>;
}

/** An invalid answer. A retry would give another one. */
export class InvalidAnswer extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'InvalidAnswer';
  }
}

/** The plugins of each profile, in order. */
const CHAINS: Record<PluginProfile, readonly string[]> = {
  deterministic: ['deterministic'],
  ml_first: ['ml', 'deterministic'],
  ml_only: ['ml'],
};

/** The plugins of a profile, for one run. */
export type Chain = ReturnType<PluginRegistry['chain']>;
export type PluginRegistry = ReturnType<typeof createPluginRegistry>;

/** The plugin of Nexus's own rules. It returns their output, which was computed for the whole text in one pass. */
export const deterministicPlugin: LayerPlugin = {
  name: 'deterministic',
  version: 'v2.0',
  modalities: MODALITIES,
  timeoutMs: 1000,
  healthcheck: async () => true,
  supports: (layer) => LAYERS.includes(layer),
  run: async ({ baseline }) => baseline,
};

/** Returns each profile with its plugins, and whether they are configured. */
export function profilesOf(plugins: readonly Pick<LayerPlugin, 'name' | 'version'>[]) {
  return PLUGIN_PROFILES.map((plugin_profile) => {
    const asked = CHAINS[plugin_profile].map((name) => ({
      name,
      version: plugins.find((plugin) => plugin.name === name)?.version ?? null,
    }));
    return { plugin_profile, is_available: asked[0]?.version != null, plugins: asked };
  });
}

const HEALTHCHECK_MS = 5000;

export function createPluginRegistry(plugins: readonly LayerPlugin[], log: Logger) {
  const byName = new Map(plugins.map((plugin) => [plugin.name, plugin]));
  return {
    chain(profile: PluginProfile) {
      // Each plugin's health is checked once per run.
      const health = new Map<string, Promise<boolean>>();
      const isHealthy = (plugin: LayerPlugin, signal: AbortSignal) => {
        const known = health.get(plugin.name) ?? checkHealth(plugin, signal);
        health.set(plugin.name, known);
        return known;
      };

      async function attempt(name: string, request: LayerRequest, signal: AbortSignal) {
        const plugin = byName.get(name);
        if (!plugin) return 'plugin_missing';
        const { layer, modality } = request;
        if (!plugin.modalities.includes(modality) || !plugin.supports(layer, modality))
          return 'plugin_unsupported';
        if (!(await isHealthy(plugin, signal))) return 'plugin_unhealthy';
        try {
          const answer = await within(plugin.timeoutMs, signal, (limited) => plugin.run(request, limited));
          return { plugin, ...checked(answer) };
        } catch (error) {
          signal.throwIfAborted();
          log.warn({ err: error, plugin: name, layer }, 'a plugin failed to analyse a layer');
          const reason = reasonFor(error);
          // A plugin that hangs would hang again for each of the next layers.
          if (reason === 'plugin_timeout') health.set(name, Promise.resolve(false));
          return reason;
        }
      }

      return {
        /** Fails only when it is aborted: a plugin that fails is skipped. */
        async execute(request: LayerRequest, signal: AbortSignal): Promise<Omit<AnalysedLayer, 'layer'>> {
          const begin = performance.now();
          const runtime = () => Math.round(performance.now() - begin);
          let firstReason: string | null = null;
          for (const name of CHAINS[profile]) {
            signal.throwIfAborted();
            const outcome = await attempt(name, request, signal);
            if (typeof outcome === 'string') {
              firstReason ??= outcome;
              continue;
            }
            const { plugin, output, confidence } = outcome;
            return {
              output,
              confidence,
              provider_name: plugin.name,
              provider_version: plugin.version,
              runtime_ms: runtime(),
              fallback_reason: firstReason,
            };
          }
          return {
            output: request.baseline.output,
            confidence: 0,
            provider_name: 'baseline',
            provider_version: 'v1',
            runtime_ms: runtime(),
            fallback_reason: 'all_plugins_failed',
          };
        },
      };
    },
  };
}

async function checkHealth(plugin: LayerPlugin, signal: AbortSignal): Promise<boolean> {
  try {
    return await within(HEALTHCHECK_MS, signal, (limited) => plugin.healthcheck(limited));
  } catch {
    // Any error means unhealthy. An abort ends the run at its next step.
    return false;
  }
}

class TooSlow extends Error {}

/** Plugins get a signal. One that ignores it is not waited for. */
async function within<T>(ms: number, signal: AbortSignal, work: (signal: AbortSignal) => Promise<T>) {
  signal.throwIfAborted();
  const limit = new AbortController();
  let timer: NodeJS.Timeout | undefined;
  let onAbort: (() => void) | undefined;
  const ended = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new TooSlow(`It took longer than ${ms} ms.`)), ms);
    onAbort = () => reject(signal.reason);
    signal.addEventListener('abort', onAbort, { once: true });
  });
  try {
    return await Promise.race([work(AbortSignal.any([signal, limit.signal])), ended]);
  } finally {
    clearTimeout(timer);
    if (onAbort) signal.removeEventListener('abort', onAbort);
    limit.abort();
  }
}

/** Validates the answer of a plugin against the shape of a layer. */
function checked({ output, confidence }: { output: LayerOutput; confidence: number }) {
  const parsed = layerOutput.safeParse(output);
  if (!parsed.success) throw new InvalidAnswer('The output does not have the shape of a layer.');
  if (!(confidence >= 0 && confidence <= 1))
    throw new InvalidAnswer('The confidence is not between 0 and 1.');
  return { output: parsed.data, confidence };
}

function reasonFor(error: unknown) {
  if (error instanceof TooSlow || (error as { code?: string }).code === 'E_TIMEOUT') return 'plugin_timeout';
  return error instanceof InvalidAnswer ? 'plugin_invalid_answer' : 'plugin_failed';
}
