import type { Principal } from '../../contract/identity.ts';
import { ROLES, type Role, roleAllows } from '../../contract/roles.ts';

export interface Feature {
  feature: string;
  minimum_role: Role;
  enabled: boolean;
}

/** Derives the features and their minimum roles from the registered routes, so they match what is enforced. */
export function availableFeatures(
  routes: { access: string; feature: string | undefined }[],
  principal: Principal,
): Feature[] {
  const minimums = new Map<string, Role>();
  for (const { access, feature } of routes) {
    const minimum = ROLES.find((role) => role === access);
    if (!feature || !minimum) continue;
    const known = minimums.get(feature);
    // The minimum role of a feature is the lowest minimum role of its routes.
    if (!known || roleAllows(known, minimum)) minimums.set(feature, minimum);
  }
  const features = [...minimums].map(([feature, minimum_role]) => ({
    feature,
    minimum_role,
    enabled: roleAllows(principal.role, minimum_role),
  }));
  const raw: Feature = {
    feature: 'raw_mode',
    minimum_role: 'researcher',
    enabled: principal.allowed_modes.includes('RAW'),
  };
  return [...features, raw].sort((a, b) => a.feature.localeCompare(b.feature));
}
