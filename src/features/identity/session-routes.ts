import { z } from 'zod';
import * as identity from '../../contract/identity.ts';
import * as contract from '../../contract/session.ts';
import { answer, id } from '../../contract/wire.ts';
import { data } from '../../http/answers.ts';
import { actorOf, apiKeyOf, callerOf, principalOf } from '../../http/authentication.ts';
import { versioned } from '../../http/conditional.ts';
import type { HttpServer } from '../../http/http-server.ts';
import { REPEAT_SECRET } from '../../http/repeats.ts';
import { routeOptions } from '../../http/route-options.ts';
import { refuseOtherSites, requireSameOrigin } from '../../http/same-origin.ts';
import { clearSessionCookie, readSessionCookie, setSessionCookie } from '../../http/session-cookie.ts';
import type { Profile } from './profile.ts';
import type { Sessions } from './sessions.ts';
import type { SignInLinks } from './sign-in-links.ts';
import type { TokenService } from './tokens.ts';
import { type Users, userVersion } from './users.ts';

const forEveryone = routeOptions({ access: 'public', tags: ['Session'] });
const forPrograms = routeOptions({ access: 'public', tags: ['Identity'] });
const forViewers = routeOptions({ access: 'viewer', tags: ['Identity'] });
const forUserAdmins = routeOptions({ access: 'admin', feature: 'users', tags: ['Users and keys'] });

interface SessionRoutes {
  sessions: Sessions;
  profile: Profile;
  signInLinks: SignInLinks;
  tokens: TokenService;
  users: Users;
  /** Where clients reach this server, when it is configured. */
  publicUrl: string | undefined;
}

export function registerSessionRoutes(
  api: HttpServer,
  { profile, signInLinks, tokens, users, publicUrl = '' }: Omit<SessionRoutes, 'sessions'>,
): void {
  api.patch(
    '/me',
    forViewers({
      errors: [
        'E_FORBIDDEN',
        'E_USERNAME_TAKEN',
        'E_USERNAME_RESERVED',
        'E_INVALID_STATE',
        'E_PRECONDITION_FAILED',
      ],
      requestHeaders: ['If-Match'],
      operationId: 'updateMe',
      summary: 'Change my names',
      description: 'Changes username and display name. A former username stays reserved for its user.',
      body: contract.updateMe,
      response: { 200: answer(identity.me) },
    }),
    (request, reply) => {
      const updated = profile.update(principalOf(request), request.body, actorOf(request));
      return versioned(reply, updated, userVersion);
    },
  );

  api.put(
    '/me/password',
    forViewers({
      errors: ['E_FORBIDDEN', 'E_INVALID_STATE', 'E_RATE_LIMITED'],
      operationId: 'changeMyPassword',
      summary: 'Change my password',
      description:
        'Requires the current password, unless there is none or the caller signed in with a sign-in link within the ' +
        'last hour. An API key, or a session that began with one, cannot set a first password. Ends all other sessions.',
      body: contract.changePassword,
      response: { 204: z.null() },
    }),
    async (request, reply) => {
      await profile.changePassword(principalOf(request), request.body, actorOf(request));
      return reply.status(204).send(null);
    },
  );

  api.post(
    '/users/:id/sign-in-link',
    forUserAdmins({
      errors: ['E_USER_NOT_FOUND'],
      repeat: REPEAT_SECRET,
      operationId: 'createSignInLink',
      summary: 'Create a sign-in link',
      description: 'The link signs the user in once, within a day. For new users and forgotten passwords.',
      params: z.object({ id }),
      hasNoLocation: true,
      response: { 201: answer(contract.createdSignInLink) },
    }),
    async (request, reply) => {
      const user = await users.get(request.params.id);
      const { path, expires_at } = await signInLinks.create(user, actorOf(request));
      return reply.status(201).send({ data: { url: publicUrl + path, expires_at } });
    },
  );

  api.post(
    '/auth/token',
    forPrograms({
      errors: ['E_UNAUTHENTICATED', 'E_RATE_LIMITED'],
      operationId: 'createTokens',
      summary: 'Get tokens',
      description:
        'For an API key, in the body or in the header X-Nexus-API-Key, or for username and password. The access token ' +
        'is a JWT for the header Authorization: Bearer. It is valid for 15 minutes.',
      body: contract.tokenRequest,
      response: { 200: answer(contract.tokens) },
    }),
    (request) => {
      const key = apiKeyOf(request) ?? '';
      return data(tokens.issue(request.body ?? { api_key: key }, callerOf(request)));
    },
  );

  api.post(
    '/auth/refresh',
    forPrograms({
      errors: ['E_UNAUTHENTICATED', 'E_RATE_LIMITED'],
      operationId: 'refreshTokens',
      summary: 'Refresh tokens',
      description: 'A refresh token can be used once. Using it again ends its session with all tokens.',
      body: contract.refreshRequest,
      response: { 200: answer(contract.tokens) },
    }),
    (request) => data(tokens.refresh(request.body.refresh_token, callerOf(request))),
  );

  api.post(
    '/auth/logout',
    forPrograms({
      operationId: 'revokeTokens',
      summary: 'Revoke tokens',
      description: 'Ends the session of the refresh token. Its access tokens become invalid immediately.',
      body: contract.refreshRequest,
      response: { 204: z.null() },
    }),
    async (request, reply) => {
      await tokens.revoke(request.body.refresh_token, callerOf(request));
      return reply.status(204).send(null);
    },
  );
}

/** The web app's sign-in, with a cookie. It is not part of the API. */
export function registerAppSessionRoutes(
  server: HttpServer,
  { sessions }: Pick<SessionRoutes, 'sessions'>,
): void {
  server.post(
    '/app/session',
    forEveryone({
      errors: ['E_UNAUTHENTICATED', 'E_FORBIDDEN', 'E_RATE_LIMITED'],
      operationId: 'signIn',
      summary: 'Sign in',
      description:
        'With username and password, an API key, or the token of a sign-in link. Sets the session cookie.',
      body: contract.signIn,
      response: { 200: answer(contract.session) },
    }),
    async (request, reply) => {
      refuseOtherSites(request);
      const former = readSessionCookie(request);
      const { token, expires_at, principal } = await sessions.signIn(request.body, former, callerOf(request));
      setSessionCookie(reply, token, expires_at);
      return data(sessions.describe(principal));
    },
  );

  server.get(
    '/app/session',
    forEveryone({
      // Public, because the web app calls it on every visit and browsers log a 401 as an error.
      operationId: 'getSession',
      summary: 'Get the current session',
      description: 'The session of the cookie; null when nobody is signed in.',
      response: { 200: answer(contract.session.nullable()) },
    }),
    (request) => data(sessions.current(readSessionCookie(request))),
  );

  server.delete(
    '/app/session',
    forEveryone({
      errors: ['E_FORBIDDEN'],
      operationId: 'signOut',
      summary: 'Sign out',
      description: 'Ends the session immediately. Succeeds also when nobody is signed in.',
      response: { 204: z.null() },
    }),
    async (request, reply) => {
      const token = readSessionCookie(request);
      if (token) {
        requireSameOrigin(request);
        await sessions.signOut(token, callerOf(request));
      }
      clearSessionCookie(reply);
      return reply.status(204).send(null);
    },
  );
}
