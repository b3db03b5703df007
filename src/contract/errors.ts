/**
 * Every error that Nexus answers with: its code, its HTTP status and what it means.
 * `docs/errors.md` lists the same, and a test keeps the two equal.
 */
export const ERRORS = {
  E_INVALID_REQUEST: {
    status: 400,
    meaning: 'The body, query, id or JSON is malformed. The message names the field and what it takes.',
  },
  E_ASYNC_DISABLED: { status: 400, meaning: 'NEXUS_ASYNC_JOBS_ENABLED is false: nothing can be queued.' },
  E_NAME_INVALID: { status: 400, meaning: "A library's name has 1 to 100 characters." },
  E_UNAUTHENTICATED: {
    status: 401,
    meaning: 'No credential was sent, or it is unknown, disabled or expired.',
  },
  E_FORBIDDEN: { status: 403, meaning: 'The caller may see this but not do it; the role is too low.' },
  E_MODE_FORBIDDEN: {
    status: 403,
    meaning:
      'RAW mode needs NEXUS_RAW_MODE_ENABLED, a key with raw_mode_enabled, and the role researcher or above.',
  },
  E_INTERNAL_ONLY: {
    status: 403,
    meaning: 'Routes under /internal need the header X-Nexus-Internal with the configured secret.',
  },
  E_LAST_ADMIN_FORBIDDEN: {
    status: 403,
    meaning: 'The change would leave nobody with the role admin. Give it to somebody else first.',
  },
  E_DEFAULT_LIBRARY_FORBIDDEN: {
    status: 403,
    meaning: 'A default library cannot be shared, renamed, deleted or given away.',
  },
  E_OWNER_REQUIRED: { status: 403, meaning: 'Only the owner of the library may do this.' },
  E_OWNER_EXIT_FORBIDDEN: {
    status: 403,
    meaning: 'The owner of a library stays in it, as an admin, until ownership is transferred.',
  },
  E_NOT_FOUND: { status: 404, meaning: 'There is no such route or object, or the caller may not see it.' },
  E_USER_NOT_FOUND: { status: 404, meaning: 'There is no user with this id or username.' },
  E_LIBRARY_NOT_FOUND: { status: 404, meaning: 'There is no such library, or the caller is not in it.' },
  E_MEDIA_NOT_FOUND: {
    status: 404,
    meaning: 'There is no such media, the caller may not read it, or it is not in this library.',
  },
  E_INVITE_NOT_FOUND: { status: 404, meaning: 'There is no such invitation for the caller.' },
  E_USERNAME_TAKEN: { status: 409, meaning: 'Another user has this username; case makes no difference.' },
  E_KEY_ROLE_EXCEEDS_USER: { status: 409, meaning: "A key's role may not be above the role of its user." },
  E_INVITE_MEMBER_EXISTS: { status: 409, meaning: 'This person is a member of the library already.' },
  E_INVITE_ALREADY_EXISTS: { status: 409, meaning: 'This person has a pending invitation to the library.' },
  E_INVITE_NOT_PENDING: { status: 409, meaning: 'The invitation was answered or revoked before.' },
  E_OWNERSHIP_TRANSFER_INVALID: { status: 409, meaning: 'Ownership can only go to a member of the library.' },
  E_INVALID_STATE: {
    status: 409,
    meaning: 'What is asked for cannot be done in the state that the object is in.',
  },
  E_INTERNAL: {
    status: 500,
    meaning: 'Something failed unexpectedly. The details are in the log under the request id.',
  },
  E_UNAVAILABLE: {
    status: 503,
    meaning: 'The database cannot be reached, or Nexus is shutting down. Try again in a moment.',
  },
} as const satisfies Record<`E_${string}`, { status: number; meaning: string }>;

export type ErrorCode = keyof typeof ERRORS;

/** Why an attempt at a job ended as it did, where Nexus itself is the reason. Handlers add codes of their own. */
export const ATTEMPT_ERRORS = {
  E_BACKFILL_FAILED: 'Filling a default library failed unexpectedly; the error text says how.',
  E_BACKFILL_INVALID_TUPLE:
    'The backfill names libraries that do not belong together. It is not tried again.',
  E_CANCELLED: 'Somebody cancelled the job during this attempt.',
  E_INVALID_PAYLOAD: 'The payload does not fit what this release takes for the job type.',
  E_INVALID_RESULT: 'The handler returned something that PostgreSQL cannot store, such as a NUL character.',
  E_LEASE_EXPIRED: 'The worker died, or was not heard of for longer than its lease. The job runs elsewhere.',
  E_UNKNOWN_JOB_TYPE: 'The worker is of a release that does not know the job type.',
  E_WORKER_STOPPED: 'The worker was told to stop. The attempt does not count against max_attempts.',
} as const satisfies Record<`E_${string}`, string>;

export type AttemptErrorCode = keyof typeof ATTEMPT_ERRORS;

/** An error whose code and sentence may be shown to the caller. */
export class NexusError extends Error {
  readonly code: ErrorCode;

  constructor(code: ErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'NexusError';
    this.code = code;
  }
}
