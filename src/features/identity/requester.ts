import type { User } from '../../contract/identity.ts';
import type { Creator } from '../../platform/jobs/job-type.ts';
import { PermanentError } from '../../platform/work/retry-policy.ts';
import { undefinedIf } from './users.ts';

/** The user who requested a job. */
interface JobRequester extends User {
  user_id: string;
}

export type Requester = (createdBy: Creator | null) => Promise<JobRequester>;

/** Finds the user who requested a job. The job has the rights that this user has when it runs. */
export function createRequester(users: { get(id: string): Promise<User> }): Requester {
  return async (createdBy) => {
    const id = createdBy?.userId;
    const user = id && (await users.get(id).catch(undefinedIf('E_USER_NOT_FOUND')));
    if (user && user.disabled_at === null) return { ...user, user_id: user.id };
    throw new PermanentError(
      'E_FORBIDDEN',
      'The user who requested this job no longer exists or is disabled.',
    );
  };
}
