import { z } from 'zod';

/** The roles in ascending order: each role includes the rights of those before it. */
export const ROLES = ['viewer', 'operator', 'researcher', 'admin'] as const;
export const role = z.enum(ROLES);
export type Role = z.infer<typeof role>;

export function roleAllows(held: Role, minimum: Role): boolean {
  return ROLES.indexOf(held) >= ROLES.indexOf(minimum);
}

export function lowerRole(a: Role, b: Role): Role {
  return roleAllows(a, b) ? b : a;
}

/**
 * The purposes of a key. `read` and `write` allow requests that read and that change; `operate` and `admin` lift the
 * key's role above viewer, as far as its person's role goes.
 */
const SCOPES = ['read', 'write', 'operate', 'admin'] as const;
export const scope = z.enum(SCOPES);
export type Scope = z.infer<typeof scope>;

/** The highest role of a key with these scopes. */
export function roleOfScopes(scopes: readonly Scope[]): Role {
  if (scopes.includes('admin')) return 'admin';
  return scopes.includes('operate') ? 'researcher' : 'viewer';
}

/** The modes of showing text. In PUBLIC mode policies block or redact it; RAW mode shows it unchanged. */
export const MODES = ['PUBLIC', 'RAW'] as const;
export const mode = z.enum(MODES);
export type Mode = z.infer<typeof mode>;
export const modeParameter = mode.default('PUBLIC').describe('How to show the text.');
