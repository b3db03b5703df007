import { LAYERS, MODALITIES } from '../../../contract/analysis.ts';
import type { LayerPlugin } from './plugin.ts';

/**
 * The plugin of Nexus's own rules. They have already been applied to the whole text in one pass; it returns their
 * output.
 */
export const deterministicPlugin: LayerPlugin = {
  name: 'deterministic',
  version: 'v2.0',
  modalities: MODALITIES,
  timeoutMs: 1000,
  healthcheck: async () => true,
  supports: (layer) => LAYERS.includes(layer),
  run: async ({ baseline }) => baseline,
};
