import type { Principal } from '../../contract/identity.ts';
import { roleAllows } from '../../contract/roles.ts';

/**
 * Whether a caller may see the content of a job: payload, result, progress, error texts and artifacts. Its creator and
 * admins may; operators see its status, type, codes, counts and times.
 */
export function seesContent({ role, user_id }: Principal, job: { created_by_user_id: string | null }) {
  return roleAllows(role, 'admin') || job.created_by_user_id === user_id;
}
