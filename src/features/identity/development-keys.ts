import type { Role } from '../../contract/roles.ts';

export const BOOTSTRAP_ROLES = ['viewer', 'operator', 'researcher', 'admin'] as const satisfies Role[];

/** The keys that README and tutorials use. Everybody knows them, so they work in development and on loopback only. */
export function developmentKey(role: Role): string {
  return `nexus-dev-${role}-key`;
}

export function isDevelopmentKey(key: string): boolean {
  return BOOTSTRAP_ROLES.some((role) => developmentKey(role) === key);
}

export function bootstrapUsername(role: Role): string {
  return `dev-${role}`;
}

/** Made again at every start, under this name. */
export function isBootstrapUsername(username: string): boolean {
  return BOOTSTRAP_ROLES.some((role) => bootstrapUsername(role) === username.toLowerCase());
}
