import type { Principal } from '../../contract/identity.ts';
import { ROLES, type Role, roleAllows } from '../../contract/roles.ts';

export interface Feature {
  feature: string;
  minimum_role: Role;
  enabled: boolean;
}

/** Read off the routes as they are registered, so the answer cannot differ from what is enforced. */
export function availableFeatures(
  routes: { access: string; feature: string | undefined }[],
  principal: Principal,
): Feature[] {
  const minimums = new Map<string, Role>();
  for (const { access, feature } of routes) {
    const minimum = ROLES.find((role) => role === access);
    if (!feature || !minimum) continue;
    const known = minimums.get(feature);
    // The feature can be used from the role on that may use the first of its routes.
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
