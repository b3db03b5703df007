import type { Role } from '../../src/contract/roles.ts';
import { checkAnswer } from './document.ts';

export const DEV_KEYS: Record<Role, string> = {
  viewer: 'nexus-dev-viewer-key',
  operator: 'nexus-dev-operator-key',
  researcher: 'nexus-dev-researcher-key',
  admin: 'nexus-dev-admin-key',
};

export interface Answer {
  status: number;
  headers: Headers;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into bodies of every shape
  body: any;
}

export interface CallOptions {
  key?: string | undefined;
  body?: unknown;
  headers?: Record<string, string>;
  signal?: AbortSignal;
}

/** Sends one request to Nexus, as a program does, and checks that the answer is as the OpenAPI document says. */
export async function call(
  url: string,
  method: string,
  path: string,
  { key, body, headers, signal }: CallOptions = {},
): Promise<Answer> {
  const response = await fetch(url + path, {
    method,
    redirect: 'manual',
    ...(signal && { signal }),
    headers: {
      ...(key !== undefined && { 'x-nexus-api-key': key }),
      ...(body !== undefined && { 'content-type': 'application/json' }),
      ...headers,
    },
    ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  });
  // A stream has no end to wait for.
  const isStream = response.headers.get('content-type')?.startsWith('text/event-stream');
  if (isStream) await response.body?.cancel();
  const text = isStream ? '' : await response.text();
  const isJson = response.headers.get('content-type')?.includes('json');
  const answer = {
    status: response.status,
    headers: response.headers,
    body: isJson && text ? JSON.parse(text) : text,
  };
  await checkAnswer(url, method, path, answer);
  return answer;
}
