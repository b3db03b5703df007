import { z } from 'zod';
import * as contract from '../../contract/session.ts';
import { apiKeyOf, callerOf } from '../../http/authentication.ts';
import type { HttpServer } from '../../http/http-server.ts';
import { routeOptions } from '../../http/route-options.ts';
import type { TokenService } from './tokens.ts';

const forPrograms = routeOptions({ access: 'public', tags: ['Identity'] });

export function registerTokenRoutes(server: HttpServer, tokens: TokenService): void {
  server.post(
    '/api/v1/auth/token',
    forPrograms({
      errors: ['E_UNAUTHENTICATED', 'E_RATE_LIMITED'],
      summary: 'Get tokens',
      description:
        'For an API key, in the body or in the header X-Nexus-API-Key, or for username and password. The access token ' +
        'is a JWT for the header Authorization: Bearer. It is valid for 15 minutes.',
      body: contract.tokenRequest,
      response: { 200: contract.tokens },
    }),
    (request) => {
      const key = apiKeyOf(request) ?? '';
      return tokens.issue(request.body ?? { api_key: key }, callerOf(request));
    },
  );

  server.post(
    '/api/v1/auth/refresh',
    forPrograms({
      errors: ['E_UNAUTHENTICATED', 'E_RATE_LIMITED'],
      summary: 'Refresh tokens',
      description: 'A refresh token can be used once. Using it again ends its session with all tokens.',
      body: contract.refreshRequest,
      response: { 200: contract.tokens },
    }),
    (request) => tokens.refresh(request.body.refresh_token, callerOf(request)),
  );

  server.post(
    '/api/v1/auth/logout',
    forPrograms({
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
