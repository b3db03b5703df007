import type { ErrorCode } from '../../../src/contract/errors.ts';
import type { Answer } from './types.ts';

type QueryValue = string | number | boolean | null | undefined;

interface RequestOptions {
  query?: Record<string, QueryValue>;
  body?: unknown;
  signal?: AbortSignal | undefined;
  /** Lets the request continue after the page is left. */
  keepalive?: boolean;
  /** The tag of the state that a change is based on. */
  ifMatch?: string | undefined;
}

interface ErrorBody {
  error?: { code?: ApiErrorCode; message?: string; request_id?: string };
}

/** The path that every route of the API begins with. */
const API = '/api/v1';

/** Returns the URL of an API path, for links, downloads and other requests that do not go through `api`. */
export function apiUrl(path: string): string {
  return API + path;
}

/** Sends a request with the session cookie. `T` is a contract type as it is on the wire. */
export async function request<T>(method: string, path: string, options: RequestOptions = {}): Promise<T> {
  const response = await send(method, path, options);
  if (response.status === 204) return undefined as T;
  return (await response.json()) as T;
}

async function send(method: string, path: string, options: RequestOptions): Promise<Response> {
  const { query, body, signal, keepalive = false, ifMatch } = options;
  const response = await fetch(path + queryString(query), {
    method,
    keepalive,
    credentials: 'same-origin',
    headers: {
      accept: 'application/json',
      ...(body !== undefined && { 'content-type': 'application/json' }),
      ...(ifMatch !== undefined && { 'if-match': ifMatch }),
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
    ...(signal && { signal }),
  }).catch((error: unknown) => {
    if (signal?.aborted) throw error;
    throw new ApiError(0, 'E_OFFLINE', 'Nexus cannot be reached. Check your connection and retry.');
  });
  if (!response.ok) throw await errorOf(response);
  return response;
}

/** Requests to the API. Paths are without the prefix. The `…Data` methods return the `data` of the answer. */
export const api = {
  get: <T>(path: string, query?: RequestOptions['query'], signal?: AbortSignal) =>
    request<T>('GET', apiUrl(path), { ...(query && { query }), signal }),
  getData: <T>(path: string, query?: RequestOptions['query'], signal?: AbortSignal) =>
    dataOf(api.get<Answer<T>>(path, query, signal)),
  /** Returns the tag of the answer as well, for `ifMatch`. */
  getTagged: async <T>(path: string, signal?: AbortSignal) => {
    const response = await send('GET', apiUrl(path), { signal });
    const { data } = (await response.json()) as Answer<T>;
    return { data, tag: response.headers.get('etag') ?? undefined };
  },
  post: <T>(path: string, body?: unknown) => request<T>('POST', apiUrl(path), { body }),
  postData: <T>(path: string, body?: unknown) => dataOf(api.post<Answer<T>>(path, body)),
  put: <T>(path: string, body: unknown, options?: RequestOptions) =>
    request<T>('PUT', apiUrl(path), { ...options, body }),
  putData: <T>(path: string, body: unknown, options?: RequestOptions) =>
    dataOf(api.put<Answer<T>>(path, body, options)),
  patch: <T>(path: string, body: unknown, options?: RequestOptions) =>
    request<T>('PATCH', apiUrl(path), { ...options, body }),
  patchData: <T>(path: string, body: unknown, options?: RequestOptions) =>
    dataOf(api.patch<Answer<T>>(path, body, options)),
  delete: <T = void>(path: string, options?: RequestOptions) => request<T>('DELETE', apiUrl(path), options),
};

function dataOf<T>(answer: Promise<Answer<T>>): Promise<T> {
  return answer.then(({ data }) => data);
}

function queryString(query: RequestOptions['query']): string {
  const given = Object.entries(query ?? {}).filter(
    (entry): entry is [string, string | number | boolean] =>
      entry[1] !== undefined && entry[1] !== null && entry[1] !== '',
  );
  if (given.length === 0) return '';
  return `?${new URLSearchParams(given.map(([name, value]) => [name, String(value)]))}`;
}

async function errorOf(response: Response): Promise<ApiError> {
  const { error }: ErrorBody = await response.json().catch(() => ({}));
  const wait = Number(response.headers.get('retry-after'));
  return new ApiError(
    response.status,
    error?.code ?? 'E_INTERNAL',
    error?.message ?? 'Nexus sent an unexpected answer. Reload the page.',
    {
      requestId: error?.request_id ?? response.headers.get('x-request-id') ?? undefined,
      retryAfter: wait > 0 ? wait : undefined,
    },
  );
}

/** `E_OFFLINE`: the server could not be reached. */
type ApiErrorCode = ErrorCode | 'E_OFFLINE';

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
