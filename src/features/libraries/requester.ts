import { NexusError } from '../../contract/errors.ts';
import type { User } from '../../contract/identity.ts';
import { PermanentError } from '../../platform/jobs/retry-policy.ts';
import type { Viewer } from './can-read-media.ts';

export type Requester = (createdBy: string | null) => Promise<Viewer>;

/** Who asked for a job, for jobs that may do what that person may do at the moment they run. */
export function createRequester(users: { getByName(username: string): Promise<User> }): Requester {
  return async (createdBy) => {
    const user = createdBy === null ? undefined : await users.getByName(createdBy).catch(unlessUnknown);
    if (user && user.disabled_at === null) {
      return { user_id: user.id, default_library_id: user.default_library_id };
    }
    throw new PermanentError('E_FORBIDDEN', 'Whoever asked for this job is not a user here any more.');
  };
}

function unlessUnknown(error: unknown): undefined {
  if (error instanceof NexusError && error.code === 'E_USER_NOT_FOUND') return undefined;
  throw error;
}
