import type { Role } from '../../contract/roles.ts';

export const BOOTSTRAP_ROLES = ['viewer', 'operator', 'researcher', 'admin'] as const satisfies Role[];

/** The publicly known key of a role, for tests. Only NEXUS_ENV=test accepts it. */
export function wellKnownKey(role: Role): string {
  return `nexus-dev-${role}-key`;
}

export function isWellKnownKey(key: string): boolean {
  return BOOTSTRAP_ROLES.some((role) => wellKnownKey(role) === key);
}

export function bootstrapUsername(role: Role): string {
  return `dev-${role}`;
}
