import { NexusError } from '../../contract/errors.ts';
import type { User } from '../../contract/identity.ts';
import type { Creator } from '../../platform/jobs/creator.ts';
import { PermanentError } from '../../platform/jobs/retry-policy.ts';
import type { Viewer } from './can-read-media.ts';

export type Requester = (createdBy: Creator | null) => Promise<Viewer>;

/** Finds who asked for a job, by id: a job may do what that person may do at the moment it runs. */
export function createRequester(users: { get(id: string): Promise<User> }): Requester {
  return async (createdBy) => {
    const user =
      createdBy?.userId === undefined ? undefined : await users.get(createdBy.userId).catch(unlessUnknown);
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
