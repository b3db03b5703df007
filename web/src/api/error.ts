import type { ErrorCode } from '../../../src/contract/errors.ts';

/** `E_OFFLINE`: the server could not be reached. */
export type ApiErrorCode = ErrorCode | 'E_OFFLINE';

/** An error answer: its code, its message for people, and the id to find it in the log. */
export class ApiError extends Error {
  readonly status: number;
  readonly code: ApiErrorCode;
  readonly requestId: string | undefined;
  /** Seconds to wait before the next attempt, if the server asked for it. */
  readonly retryAfter: number | undefined;

  constructor(
    status: number,
    code: ApiErrorCode,
    message: string,
    { requestId, retryAfter }: Partial<Pick<ApiError, 'requestId' | 'retryAfter'>> = {},
  ) {
    super(message);
    this.name = 'ApiError';
    this.status = status;
    this.code = code;
    this.requestId = requestId;
    this.retryAfter = retryAfter;
  }

  get isGone(): boolean {
    return this.status === 404;
  }

  get isSignedOut(): boolean {
    return this.status === 401;
  }
}

export function errorMessage(error: unknown): string {
  if (error instanceof ApiError) return error.message;
  return 'Something went wrong. Reload the page.';
}
