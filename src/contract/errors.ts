/** The catalogue of API errors: code, HTTP status and meaning. A test compares it with `docs/errors.md`. */
export const ERRORS = {
  ...codes('status', 400, {
    E_INVALID_REQUEST: 'The body, query, id or JSON is malformed. The message names the field and the rule.',
    E_INVALID_URL:
      'The URL is not http or https, has no host, carries credentials, or has more than 2048 characters.',
    E_SSRF_BLOCKED:
      'The host does not exist, or its address is not public. An operator can allow private addresses with NEXUS_EGRESS_ALLOW.',
    E_INVALID_KIND: 'This route does not accept this kind of media.',
    E_FILE_TOO_LARGE: 'The file is larger than the limit.',
    E_INVALID_FILE_TYPE: 'The content of the file does not match its kind.',
    E_INVALID_CONTENT_TYPE: 'The content type does not match the kind.',
    E_STORAGE_MISSING: 'No file was uploaded. Upload the file first, then ingest it.',
    E_ASYNC_DISABLED: 'Queued jobs are disabled (NEXUS_ASYNC_JOBS_ENABLED is false).',
    E_SHADOW_DISABLED: 'Shadow runs are disabled (NEXUS_SHADOW_EXECUTION_ENABLED is false).',
    E_NAME_INVALID: 'The name of a library must have 1 to 100 characters.',
    E_INVALID_QUERY:
      'The search query has a mistake. details.position is where it is, from 0; the message says what to write.',
    E_INVALID_RANGE: 'The range or the quote of a highlight is not in the text of the fragment.',
  }),
  ...codes('status', 401, {
    E_UNAUTHENTICATED: 'No credentials were sent, or they are unknown, disabled or expired.',
  }),
  ...codes('status', 403, {
    E_UPLOAD_EXPIRED: 'The upload URL has expired. Start a new upload.',
    E_FORBIDDEN: 'The caller is not allowed to do this.',
    E_MODE_FORBIDDEN:
      'RAW mode requires NEXUS_RAW_MODE_ENABLED, a key with raw_mode_enabled, and the role researcher or higher.',
    E_INTERNAL_ONLY: 'Routes under /internal require the header X-Nexus-Internal with the configured secret.',
    E_GOVERNANCE_BLOCKED: 'A policy blocks this text in this mode. The message names the policy.',
    E_LAST_ADMIN_FORBIDDEN: 'The change would remove the last admin. Make another user an admin first.',
    E_DEFAULT_LIBRARY_FORBIDDEN: 'A default library cannot be shared, renamed, deleted or transferred.',
    E_OWNER_REQUIRED: 'Only the owner of the library may do this.',
    E_OWNER_EXIT_FORBIDDEN: 'The owner must stay an admin of the library. Transfer the ownership first.',
  }),
  ...codes('status', 404, {
    E_NOT_FOUND: 'The route or object does not exist, or the caller may not see it.',
    E_USER_NOT_FOUND: 'No user has this id or username.',
    E_LIBRARY_NOT_FOUND: 'The library does not exist, or the caller is not a member.',
    E_MEDIA_NOT_FOUND: 'The media does not exist, the caller may not read it, or it is not in this library.',
    E_BRANCH_NOT_FOUND: 'The branch does not exist, or the caller may not see it.',
    E_HIGHLIGHT_NOT_FOUND: 'The highlight does not exist, or the caller does not see it.',
    E_INVITE_NOT_FOUND: 'The invitation does not exist, or the caller may not see it.',
  }),
  ...codes('status', 405, {
    E_METHOD_NOT_ALLOWED: 'The path exists, but not with this method. The header Allow lists its methods.',
  }),
  ...codes('status', 409, {
    E_UPLOAD_SPENT: 'A file was already uploaded to this URL. Start a new upload for another file.',
    E_USERNAME_TAKEN: 'Another user has this username. Usernames are case-insensitive.',
    E_USERNAME_RESERVED: 'This username is reserved, or looks like a reserved one. Choose another.',
    E_POLICY_NAME_TAKEN: 'Another policy has this name. Names are case-insensitive.',
    E_KEY_ROLE_EXCEEDS_USER: "A key's role must not exceed the role of its user.",
    E_INVITE_MEMBER_EXISTS: 'This person is already a member of the library.',
    E_INVITE_ALREADY_EXISTS: 'This person already has a pending invitation to the library.',
    E_INVITE_NOT_PENDING: 'The invitation was already accepted, declined or revoked.',
    E_OWNERSHIP_TRANSFER_INVALID: 'Ownership can only be transferred to a member of the library.',
    E_IDEMPOTENCY_CONFLICT:
      'This idempotency key was used for a different request, or its first request is still running or has lost its answer. The message says what to do.',
    E_INVALID_STATE: 'The current state of the object does not allow this.',
    E_BRANCH_MOVED: 'The branch has newer events. details.head is its current position.',
    E_BRANCH_DAMAGED:
      'The stored branch does not match its hashes. The job branch_replay finds the damaged event.',
  }),
  ...codes('status', 412, {
    E_PRECONDITION_FAILED:
      'The object has changed since the version in If-Match. Read it again, then change it.',
  }),
  ...codes('status', 413, {
    E_TEXT_TOO_COSTLY:
      'Processing the text exceeds the time or memory limit of one request, or the response is too large.',
    E_QUOTA_EXCEEDED: 'The storage quota is exceeded. The message gives the used and the allowed amount.',
  }),
  ...codes('status', 416, { E_RANGE_NOT_SATISFIABLE: 'The range starts after the end of the file.' }),
  ...codes('status', 421, {
    E_MISDIRECTED_REQUEST:
      'Nexus accepts only requests to localhost. To use another host name, set NEXUS_PUBLIC_URL.',
  }),
  ...codes('status', 429, {
    E_RATE_LIMITED: 'Too many requests. Retry after the number of seconds in Retry-After.',
  }),
  ...codes('status', 500, {
    E_INTERNAL: 'An unexpected error. The details are in the log under the request id.',
  }),
  ...codes('status', 503, {
    E_TOO_MANY_STREAMS:
      'This server has too many open event streams. Retry after the number of seconds in Retry-After.',
    E_UNAVAILABLE:
      'The database is unavailable, or Nexus is too busy or shutting down. Try again in a moment.',
  }),
};

export type ErrorCode = keyof typeof ERRORS;

/** Gives all of the codes one property besides their meaning. */
function codes<Code extends `E_${string}`, Key extends string, Value>(
  key: Key,
  value: Value,
  meanings: Record<Code, string>,
): Record<Code, { [_ in Key]: Value } & { meaning: string }> {
  const entries = Object.entries<string>(meanings).map(([code, meaning]) => [
    code,
    { [key]: value, meaning },
  ]);
  return Object.fromEntries(entries);
}

/** Error codes of job attempts that the engine and Nexus's own handlers set. Failures add those of `FAILURES`. */
export const ATTEMPT_ERRORS = {
  E_ANALYSIS_FAILED: 'The text could not be analysed.',
  E_ANALYSIS_MEMORY: 'The analysis exceeded its memory limit.',
  E_ANALYSIS_TIMEOUT: 'The analysis exceeded its time limit.',
  E_BACKFILL_FAILED: 'The backfill of a default library failed unexpectedly. The error text has the details.',
  E_BACKFILL_INVALID_TUPLE: 'The libraries and the user of the backfill do not match. It is not retried.',
  E_CANCELLED: 'The job was cancelled during this attempt.',
  E_INVALID_PAYLOAD: 'The payload does not match the schema of the job type in this release.',
  E_INVALID_RESULT: 'The handler returned a value that PostgreSQL cannot store, such as a NUL character.',
  E_LEASE_EXPIRED: 'The worker died, or did not renew its lease in time. Another worker runs the job.',
  E_UNKNOWN_JOB_TYPE: "The worker's release does not know the job type.",
  E_WORKER_STOPPED: 'The worker was stopped. The attempt does not count against max_attempts.',
} as const satisfies Record<`E_${string}`, string>;

/** Error codes that commands print, and that attempts of scheduled backups have. */
export const COMMAND_ERRORS = {
  E_BACKUP_DAMAGED: 'The file is not a backup of Nexus, is incomplete, or was altered. Nothing was written.',
  E_BACKUP_INTERRUPTED: 'The connection to the database was lost during the backup. No file was written.',
  E_BACKUP_NEWER: 'A newer release made the backup. Restore it with that release or a later one.',
  E_BACKUP_OTHER_SCHEMA: 'The backup was made with other migrations than those of this release.',
  E_BACKUP_RUNNING: 'Another backup of the same database is running.',
  E_RESTORE_NOT_EMPTY: 'The database or the storage to restore into is not empty. Nothing was written.',
} as const satisfies Record<`E_${string}`, string>;

export type CommandErrorCode = keyof typeof COMMAND_ERRORS;

/** Why a command did not do what it was asked to. */
export class CommandError extends Error {
  readonly code: CommandErrorCode;

  constructor(code: CommandErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'CommandError';
    this.code = code;
  }
}

/** The reasons why a document cannot be extracted. `transient` ones are retried; the others wait for a person. */
export const FAILURES = {
  ...codes('transient', true, {
    E_DNS_FAILED: 'The host name of the site could not be resolved.',
    E_CONNECT_FAILED: 'The site refused the connection, or cannot be reached.',
    E_CONNECTION_LOST: 'The connection closed before the whole response arrived.',
    E_TIMEOUT: 'The site took too long to respond.',
    E_SITE_BUSY: 'The site limits the number of requests.',
    E_SITE_ERROR: 'The site is having problems (status 5xx).',
  }),
  ...codes('transient', false, {
    E_TLS_FAILED: "The site's certificate is invalid, or the site does not support TLS.",
    E_INVALID_RESPONSE: 'The response is not valid HTTP, or cannot be decompressed.',
    E_RESPONSE_TOO_LARGE: 'The response is larger than the limit.',
    E_TOO_MANY_REDIRECTS: 'The site redirected more than five times.',
    E_LOGIN_REQUIRED: 'The site shows the page only to signed-in users.',
    E_ACCESS_DENIED: 'The site denied access to the page.',
    E_PAGE_NOT_FOUND: 'The page does not exist.',
    E_PAGE_GONE: 'The page was removed permanently.',
    E_HTTP_ERROR: 'The site responded with another error status.',
    E_NO_READABLE_CONTENT: 'The page contains no article.',
    E_UNSUPPORTED_CONTENT: 'The address leads to a type of file or video that Nexus cannot save.',
    E_PDF_PASSWORD_REQUIRED: 'The PDF is protected by a password.',
    E_PDF_INVALID: 'The file is not a PDF, or is damaged.',
    E_EPUB_INVALID: 'The file is not an EPUB, is damaged, or has DRM.',
    E_ARCHIVE_UNSAFE: 'The archive is malicious, or too large when decompressed.',
    E_VIDEO_UNAVAILABLE: 'The video was removed, or is private.',
    E_TRANSCRIPT_UNAVAILABLE: 'The video has no transcript. It can still be played.',
    E_IMAGE_INVALID: 'The file is not an image of a supported type.',
    E_EXTRACTION_TIMEOUT: 'Extracting the document exceeded the time limit.',
    E_EXTRACTION_MEMORY: 'Extracting the document exceeded the memory limit.',
    E_EXTRACTION_TOO_LARGE: 'The document contains more text and images than the limit.',
    E_PROCESSING_STOPPED:
      'Processing was cancelled, or stopped after its workers died too often. It can be retried.',
    E_UPLOAD_ABANDONED: 'The upload was not finished in time. Upload the file again.',
    E_EXTRACTOR_NOT_IMPLEMENTED: 'Nexus cannot extract this kind of media.',
    E_STORAGE_GONE: 'The file is missing from storage.',
    E_EXTRACTION_FAILED:
      'The document could not be processed, because of an error in Nexus. The log has the details.',
  }),
};

export type FailureCode = keyof typeof FAILURES | 'E_INVALID_URL' | 'E_SSRF_BLOCKED' | 'E_QUOTA_EXCEEDED';

/** A failure whose cause is outside Nexus: a code, and a sentence that tells a person what to do. */
export class Failure extends Error {
  readonly code: FailureCode;
  /** Whether a retry may succeed. */
  readonly isTransient: boolean;

  constructor(code: FailureCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'Failure';
    this.code = code;
    this.isTransient = code in FAILURES && FAILURES[code as keyof typeof FAILURES].transient;
  }
}

interface NexusErrorOptions extends ErrorOptions {
  retryAfterSeconds?: number;
  details?: Record<string, unknown>;
}

/** An error whose code and message may be shown to the caller. */
export class NexusError extends Error {
  readonly code: ErrorCode;
  /** The `Retry-After` of the response. */
  readonly retryAfterSeconds: number | undefined;
  /** Data that a client needs in order to recover, in addition to the code. */
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
