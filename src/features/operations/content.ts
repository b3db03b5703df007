import type { Principal } from '../../contract/identity.ts';
import { roleAllows } from '../../contract/roles.ts';

/**
 * Whether somebody sees what is inside a piece of work: payload, result, progress, error texts, artifacts. Its owner and
 * admins do; operators see its state, type, codes, counts and times.
 */
export function seesContent(
  { role, user_id }: Principal,
  work: { created_by_user_id: string | null },
): boolean {
  return roleAllows(role, 'admin') || work.created_by_user_id === user_id;
}
