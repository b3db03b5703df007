import { NexusError } from '../../contract/errors.ts';
import type { User } from '../../contract/identity.ts';
import type { Creator } from '../../platform/jobs/job-type.ts';
import { PermanentError } from '../../platform/work/retry-policy.ts';

/** The user who requested a job. */
export interface JobRequester extends User {
  user_id: string;
}

export type Requester = (createdBy: Creator | null) => Promise<JobRequester>;

/** Finds the user who requested a job. The job has the rights that this user has when it runs. */
export function createRequester(users: { get(id: string): Promise<User> }): Requester {
  return async (createdBy) => {
    const user =
      createdBy?.userId === undefined
        ? undefined
        : await users.get(createdBy.userId).catch(undefinedIfUnknown);
    if (user && user.disabled_at === null) return { ...user, user_id: user.id };
    throw new PermanentError(
      'E_FORBIDDEN',
      'The user who requested this job no longer exists or is disabled.',
    );
  };
}

function undefinedIfUnknown(error: unknown): undefined {
  if (error instanceof NexusError && error.code === 'E_USER_NOT_FOUND') return undefined;
  throw error;
}
