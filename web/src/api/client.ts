import { ApiError, type ApiErrorCode } from './error.ts';

type QueryValue = string | number | boolean | null | undefined;

export interface RequestOptions {
  query?: Record<string, QueryValue>;
  body?: unknown;
  signal?: AbortSignal | undefined;
  /** Lets the request continue after the page is left. */
  keepalive?: boolean;
}

interface ErrorBody {
  error?: { code?: ApiErrorCode; message?: string; request_id?: string };
}

/** Sends a request with the session cookie. `T` is a contract type as it is on the wire. */
export async function request<T>(method: string, path: string, options: RequestOptions = {}): Promise<T> {
  const { query, body, signal, keepalive = false } = options;
  const response = await fetch(path + queryString(query), {
    method,
    keepalive,
    credentials: 'same-origin',
    headers: {
      accept: 'application/json',
      ...(body !== undefined && { 'content-type': 'application/json' }),
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
    ...(signal && { signal }),
  }).catch((error: unknown) => {
    if (signal?.aborted) throw error;
    throw new ApiError(0, 'E_OFFLINE', 'Nexus cannot be reached. Check your connection and retry.');
  });
  if (!response.ok) throw await errorOf(response);
  if (response.status === 204) return undefined as T;
  return (await response.json()) as T;
}

export const api = {
  get: <T>(path: string, query?: RequestOptions['query'], signal?: AbortSignal) =>
    request<T>('GET', path, { ...(query && { query }), signal }),
  post: <T>(path: string, body?: unknown) => request<T>('POST', path, { body }),
  put: <T>(path: string, body?: unknown) => request<T>('PUT', path, { body }),
  patch: <T>(path: string, body?: unknown) => request<T>('PATCH', path, { body }),
  delete: <T = void>(path: string, options?: RequestOptions) => request<T>('DELETE', path, options),
};

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
