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

/** The modes of showing text. In PUBLIC mode policies block or redact it; RAW mode shows it unchanged. */
export const MODES = ['PUBLIC', 'RAW'] as const;
export const mode = z.enum(MODES);
export type Mode = z.infer<typeof mode>;
