import type { Egress } from '../../../platform/egress/egress.ts';
import { deterministicPlugin } from './deterministic.ts';
import { createMlPlugin, type MlOptions } from './ml.ts';
import type { LayerPlugin } from './plugin.ts';

/** Returns the configured plugins: the rules, and a model if there is one. */
export function createPlugins(ml: Omit<MlOptions, 'egress'> | undefined, egress: Egress): LayerPlugin[] {
  return [...(ml ? [createMlPlugin({ ...ml, egress })] : []), deterministicPlugin];
}
