import { LAYERS, MODALITIES } from '../../../contract/analysis.ts';
import type { LayerPlugin } from './plugin.ts';

/** Nexus's own rules. They have been applied already, to the whole text in one pass; this hands on what they said. */
export const deterministicPlugin: LayerPlugin = {
  name: 'deterministic',
  version: 'v2.0',
  modalities: MODALITIES,
  timeoutMs: 1000,
  healthcheck: async () => true,
  supports: (layer) => LAYERS.includes(layer),
  run: async ({ baseline }) => baseline,
};
