import type { SignIn } from '../../src/contract/session.ts';
import type { Answer, CallOptions, TestApp } from './app.ts';

/** A signed-in browser: its cookies, and a function that sends requests as a page of the site does. */
export interface BrowserSession {
  token: string;
  cookie: string;
  call(method: string, path: string, options?: CallOptions): Promise<Answer>;
}

const SAME_ORIGIN = { 'sec-fetch-site': 'same-origin' };

export async function signIn(app: TestApp, body: SignIn, headers = {}): Promise<BrowserSession> {
  const answer = await app.call('POST', '/app/session', { body, headers });
  if (answer.status !== 200) throw new Error(`${answer.status} ${JSON.stringify(answer.body)}`);
  const { name, value } = cookieOf(answer);
  return browserWith(app, value, name);
}

/** Sets a person's first password with a sign-in link. */
export async function setPassword(
  app: TestApp,
  user: { id: string; username: string },
  password: string,
): Promise<void> {
  const { path } = await app.services.signInLinks.create(user, { name: 'test' });
  const browser = await signIn(app, { sign_in_token: path.replace('/app/welcome#', '') });
  const answer = await browser.call('PUT', '/api/v1/me/password', { body: { new_password: password } });
  if (answer.status !== 204) throw new Error(`${answer.status} ${JSON.stringify(answer.body)}`);
  await browser.call('DELETE', '/app/session');
}

export function browserWith(app: TestApp, token: string, name = 'nexus_session'): BrowserSession {
  const cookie = `${name}=${token}`;
  return {
    token,
    cookie,
    call: (method, path, { headers, ...options } = {}) =>
      app.call(method, path, { ...options, headers: { ...SAME_ORIGIN, cookie, ...headers } }),
  };
}

export function cookieOf({ headers }: Answer): { name: string; value: string; flags: string[] } {
  const [first = '', ...flags] = (headers.get('set-cookie') ?? '').split('; ');
  const [name = '', value = ''] = first.split('=');
  return { name, value, flags };
}
