import { z } from 'zod';

/** From least to most: each role may do what those before it may. */
export const ROLES = ['viewer', 'operator', 'researcher', 'admin'] as const;
export const role = z.enum(ROLES);
export type Role = z.infer<typeof role>;

export function roleAllows(held: Role, minimum: Role): boolean {
  return ROLES.indexOf(held) >= ROLES.indexOf(minimum);
}

export function lowerRole(a: Role, b: Role): Role {
  return roleAllows(a, b) ? b : a;
}

/** PUBLIC shows text as policies allow; RAW shows it as it is. */
export const MODES = ['PUBLIC', 'RAW'] as const;
export const mode = z.enum(MODES);
export type Mode = z.infer<typeof mode>;
