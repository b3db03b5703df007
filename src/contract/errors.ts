/**
 * Every error that Nexus answers with: its code, its HTTP status and what it means.
 * `docs/errors.md` lists the same, and a test keeps the two equal.
 */
export const ERRORS = {
  E_INVALID_REQUEST: {
    status: 400,
    meaning: 'The body, query, id or JSON is malformed. The message names the field and what it takes.',
  },
  E_INVALID_URL: {
    status: 400,
    meaning:
      'The URL is not http or https, has no host, carries credentials, or has more than 2048 characters.',
  },
  E_SSRF_BLOCKED: {
    status: 400,
    meaning:
      'There is no public site at this address: no host has the name, or its address is not public. An operator can allow it with NEXUS_EGRESS_ALLOW.',
  },
  E_INVALID_KIND: { status: 400, meaning: 'This kind of media cannot be saved in this way.' },
  E_FILE_TOO_LARGE: { status: 400, meaning: 'The file is larger than Nexus takes.' },
  E_INVALID_FILE_TYPE: { status: 400, meaning: 'The file is not what its kind says.' },
  E_INVALID_CONTENT_TYPE: { status: 400, meaning: 'The content type does not belong to the kind.' },
  E_STORAGE_MISSING: { status: 400, meaning: 'Nothing was uploaded. Upload the file first, then ingest it.' },
  E_UPLOAD_EXPIRED: { status: 403, meaning: 'The time for this upload is over. Begin a new one.' },
  E_UPLOAD_SPENT: {
    status: 409,
    meaning:
      'A file was already uploaded to this URL, and it takes only one. Begin a new upload for another file.',
  },
  E_ASYNC_DISABLED: { status: 400, meaning: 'NEXUS_ASYNC_JOBS_ENABLED is false: nothing can be queued.' },
  E_SHADOW_DISABLED: {
    status: 400,
    meaning: 'NEXUS_SHADOW_EXECUTION_ENABLED is false: nothing runs in the shadow of another run.',
  },
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
  E_GOVERNANCE_BLOCKED: {
    status: 403,
    meaning: 'A policy keeps this text from being shown in this mode. The message names the policy.',
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
  E_BRANCH_NOT_FOUND: { status: 404, meaning: 'There is no such branch, or the caller may not see it.' },
  E_INVITE_NOT_FOUND: { status: 404, meaning: 'There is no such invitation for the caller.' },
  E_USERNAME_TAKEN: { status: 409, meaning: 'Another user has this username; case makes no difference.' },
  E_USERNAME_RESERVED: {
    status: 409,
    meaning: 'This username belongs to Nexus itself, or looks like one that does. Choose another.',
  },
  E_POLICY_NAME_TAKEN: { status: 409, meaning: 'Another policy has this name; case makes no difference.' },
  E_KEY_ROLE_EXCEEDS_USER: { status: 409, meaning: "A key's role may not be above the role of its user." },
  E_INVITE_MEMBER_EXISTS: { status: 409, meaning: 'This person is a member of the library already.' },
  E_INVITE_ALREADY_EXISTS: { status: 409, meaning: 'This person has a pending invitation to the library.' },
  E_INVITE_NOT_PENDING: { status: 409, meaning: 'The invitation was answered or revoked before.' },
  E_OWNERSHIP_TRANSFER_INVALID: { status: 409, meaning: 'Ownership can only go to a member of the library.' },
  E_IDEMPOTENCY_CONFLICT: {
    status: 409,
    meaning: 'You used this idempotency key before, for something else. Use a new key.',
  },
  E_INVALID_STATE: {
    status: 409,
    meaning: 'What is asked for cannot be done in the state that the object is in.',
  },
  E_BRANCH_MOVED: {
    status: 409,
    meaning: 'Somebody else has appended to the branch first. details.head says where it is now.',
  },
  E_BRANCH_DAMAGED: {
    status: 409,
    meaning: 'What is stored of the branch does not match its hashes. The job branch_replay says where.',
  },
  E_TEXT_TOO_COSTLY: {
    status: 413,
    meaning:
      'The text takes more time or memory than Nexus gives to one request, or the answer is too large.',
  },
  E_QUOTA_EXCEEDED: {
    status: 413,
    meaning:
      'There is not enough storage left for this. The message says how much is used and how much is allowed.',
  },
  E_RANGE_NOT_SATISFIABLE: { status: 416, meaning: 'The range begins behind the end of the file.' },
  E_MISDIRECTED_REQUEST: {
    status: 421,
    meaning:
      'Nexus is reachable from this machine only, and was called by another host name. NEXUS_PUBLIC_URL says which name is its own.',
  },
  E_RATE_LIMITED: {
    status: 429,
    meaning: 'Too many requests. Retry-After says in how many seconds to go on.',
  },
  E_TOO_MANY_STREAMS: {
    status: 503,
    meaning: 'The process keeps no more event streams open. Retry-After says when to try again.',
  },
  E_INTERNAL: {
    status: 500,
    meaning: 'Something failed unexpectedly. The details are in the log under the request id.',
  },
  E_UNAVAILABLE: {
    status: 503,
    meaning: 'The database cannot be reached, or Nexus is too busy or shutting down. Try again in a moment.',
  },
} as const satisfies Record<`E_${string}`, { status: number; meaning: string }>;

export type ErrorCode = keyof typeof ERRORS;

/** Why an attempt at a job ended as it did, where Nexus itself is the reason. Handlers add codes of their own. */
export const ATTEMPT_ERRORS = {
  E_ANALYSIS_FAILED: 'Nexus could not make sense of the text.',
  E_ANALYSIS_MEMORY: 'The text takes too much memory to analyse.',
  E_ANALYSIS_TIMEOUT: 'The text takes too long to analyse.',
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

/**
 * Why something could not be fetched from elsewhere, or made readable. `transient` means that another try may succeed;
 * the rest stays as it is until a person does something about it.
 */
export const FAILURES = {
  E_DNS_FAILED: { transient: true, meaning: "The site's name could not be looked up." },
  E_CONNECT_FAILED: {
    transient: true,
    meaning: 'The site refused the connection, or there is no way to it.',
  },
  E_CONNECTION_LOST: {
    transient: true,
    meaning: 'The connection ended before the whole answer had arrived.',
  },
  E_TIMEOUT: { transient: true, meaning: 'The site took too long to answer.' },
  E_TLS_FAILED: { transient: false, meaning: "The site's certificate is not valid, or it speaks no TLS." },
  E_INVALID_RESPONSE: {
    transient: false,
    meaning: 'What the site sent is not valid HTTP, or does not decompress.',
  },
  E_RESPONSE_TOO_LARGE: { transient: false, meaning: 'The answer is larger than Nexus reads.' },
  E_TOO_MANY_REDIRECTS: { transient: false, meaning: 'The site redirected more than five times.' },
  E_LOGIN_REQUIRED: { transient: false, meaning: 'The page is shown only to those who sign in there.' },
  E_ACCESS_DENIED: { transient: false, meaning: 'The site refuses to show the page to Nexus.' },
  E_PAGE_NOT_FOUND: { transient: false, meaning: 'The site has no such page.' },
  E_PAGE_GONE: { transient: false, meaning: 'The page was there and has been removed for good.' },
  E_SITE_BUSY: { transient: true, meaning: 'The site asks for fewer requests.' },
  E_SITE_ERROR: { transient: true, meaning: 'The site itself has failed.' },
  E_HTTP_ERROR: { transient: false, meaning: 'The site answered with another status than success.' },
  E_NO_READABLE_CONTENT: { transient: false, meaning: 'The page holds no article.' },
  E_UNSUPPORTED_CONTENT: { transient: false, meaning: 'What lies there is neither a page nor a PDF.' },
  E_PDF_PASSWORD_REQUIRED: { transient: false, meaning: 'The PDF opens only with a password.' },
  E_PDF_INVALID: { transient: false, meaning: 'The file is not a PDF, or is damaged.' },
  E_EPUB_INVALID: {
    transient: false,
    meaning: 'The file is not an EPUB, is damaged, or is protected against copying.',
  },
  E_ARCHIVE_UNSAFE: {
    transient: false,
    meaning: 'The archive is made to do harm, or is far too large inside.',
  },
  E_VIDEO_UNAVAILABLE: { transient: false, meaning: 'The video was removed, or is private.' },
  E_TRANSCRIPT_UNAVAILABLE: {
    transient: false,
    meaning: 'The video has no transcript. It can still be played.',
  },
  E_IMAGE_INVALID: { transient: false, meaning: 'The file is not an image that browsers show safely.' },
  E_EXTRACTION_TIMEOUT: { transient: false, meaning: 'The document takes too long to read.' },
  E_EXTRACTION_MEMORY: { transient: false, meaning: 'The document takes too much memory to read.' },
  E_EXTRACTION_TOO_LARGE: {
    transient: false,
    meaning: 'The document holds more text and images than Nexus keeps.',
  },
  E_PROCESSING_STOPPED: {
    transient: false,
    meaning: 'The work was cancelled, or given up after its workers died. It can be retried.',
  },
  E_UPLOAD_ABANDONED: {
    transient: false,
    meaning: 'The upload was begun and not finished in time. The file has to be uploaded again.',
  },
  E_EXTRACTOR_NOT_IMPLEMENTED: { transient: false, meaning: 'Nexus has no extractor for this kind.' },
  E_STORAGE_GONE: { transient: false, meaning: 'The file is not in storage any more.' },
  E_EXTRACTION_FAILED: { transient: false, meaning: 'The document could not be read; the log says why.' },
} as const satisfies Record<`E_${string}`, { transient: boolean; meaning: string }>;

export type FailureCode = keyof typeof FAILURES | 'E_INVALID_URL' | 'E_SSRF_BLOCKED' | 'E_QUOTA_EXCEEDED';

/** Something outside of Nexus stands in the way: its code, and a sentence that tells a person what to do. */
export class Failure extends Error {
  readonly code: FailureCode;
  /** Whether another try may succeed. */
  readonly isTransient: boolean;

  constructor(code: FailureCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'Failure';
    this.code = code;
    this.isTransient = code in FAILURES && FAILURES[code as keyof typeof FAILURES].transient;
  }
}

export interface NexusErrorOptions extends ErrorOptions {
  retryAfterSeconds?: number;
  details?: Record<string, unknown>;
}

/** An error whose code and sentence may be shown to the caller. */
export class NexusError extends Error {
  readonly code: ErrorCode;
  /** When it makes sense to ask again. */
  readonly retryAfterSeconds: number | undefined;
  /** What a program needs in order to go on, where the code alone does not say it. */
  readonly details: Record<string, unknown> | undefined;

  constructor(
    code: ErrorCode,
    message: string,
    { retryAfterSeconds, details, ...options }: NexusErrorOptions = {},
  ) {
    super(message, options);
    this.name = 'NexusError';
    this.code = code;
    this.retryAfterSeconds = retryAfterSeconds;
    this.details = details;
  }
}
