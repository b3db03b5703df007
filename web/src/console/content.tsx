import { Lock } from 'lucide-react';
import { roleAllows, useSession } from '../session/session.ts';

/** Whether the person may see payloads, results and error texts of all users. */
export function useSeesAllContent(): boolean {
  return roleAllows(useSession().user.role, 'admin');
}

/** Whether the person may see the content of this job. */
export function useSeesContent(work: { created_by_user_id: string | null } | undefined): boolean {
  const { user } = useSession();
  return useSeesAllContent() || work?.created_by_user_id === user.id;
}

/** Shown in place of content that only its owner and admins may see. */
export function PrivateContent() {
  return (
    <p className="card muted row">
      <Lock size={16} aria-hidden />
      Only the owner and admins can see the content.
    </p>
  );
}
