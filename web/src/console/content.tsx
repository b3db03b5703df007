import { Lock } from 'lucide-react';
import { roleAllows, useSession } from '../session/session.ts';

/** Whether the signed-in person sees payloads, results and error texts of everybody's work. */
export function useSeesAllContent(): boolean {
  return roleAllows(useSession().user.role, 'admin');
}

/** Whether the signed-in person sees what is inside this piece of work. */
export function useSeesContent(work: { created_by_user_id: string | null } | undefined): boolean {
  const { user } = useSession();
  return useSeesAllContent() || work?.created_by_user_id === user.id;
}

/** Stands where content would be that its owner and admins see. */
export function PrivateContent() {
  return (
    <p className="card muted row">
      <Lock size={16} aria-hidden />
      Only the owner and admins can see the content.
    </p>
  );
}
