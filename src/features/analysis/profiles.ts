import { type AnalysisProfiles, PLUGIN_PROFILES } from '../../contract/analysis.ts';
import type { LayerPlugin } from './plugins/plugin.ts';
import { CHAINS } from './plugins/registry.ts';

export type Profiles = ReturnType<typeof createProfiles>;

/** Returns the profiles, their plugins, and whether shadow runs are possible. */
export function createProfiles({
  plugins,
  shadowExecutionEnabled,
}: {
  plugins: readonly Pick<LayerPlugin, 'name' | 'version'>[];
  shadowExecutionEnabled: boolean;
}) {
  const profiles = PLUGIN_PROFILES.map((plugin_profile) => {
    const asked = CHAINS[plugin_profile].map((name) => ({
      name,
      version: plugins.find((plugin) => plugin.name === name)?.version ?? null,
    }));
    return { plugin_profile, is_available: asked[0]?.version != null, plugins: asked };
  });
  return (): AnalysisProfiles => ({ profiles, is_shadow_enabled: shadowExecutionEnabled });
}
