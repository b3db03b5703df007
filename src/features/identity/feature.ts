import type { Role } from '../../contract/roles.ts';
import type { Database } from '../../platform/database/database.ts';
import { installationSecret } from '../../platform/database/installation-secret.ts';
import type { Feature, Platform } from '../feature.ts';
import { createApiKeys } from './api-keys.ts';
import { createAuthentication } from './authentication.ts';
import { listNames } from './names-store.ts';
import { registerOwnKeyRoutes } from './own-key-routes.ts';
import { createProfile } from './profile.ts';
import { createRefusals } from './refusals.ts';
import { createRequester } from './requester.ts';
import { registerIdentityRoutes } from './routes.ts';
import { registerAppSessionRoutes, registerSessionRoutes } from './session-routes.ts';
import { createSessions, periodicSessionCleanup } from './sessions.ts';
import { createSignInLinks } from './sign-in-links.ts';
import { createAccessTokens, createTokens } from './tokens.ts';
import { createUsers, type UsersDependencies } from './users.ts';

interface IdentityDependencies
  extends Pick<UsersDependencies, 'createDefaultLibrary' | 'revokeInvitations'>,
    Pick<Platform, 'sql'> {
  config: {
    rawModeEnabled: boolean;
    acceptsWellKnownKeys: boolean;
    requestsPerMinute: Record<Role, number>;
    tokenSecret: string | undefined;
    defaultRole: Role;
    publicUrl: string | undefined;
  };
}

export function createIdentityFeature({ sql, config, ...hooks }: IdentityDependencies) {
  const accessTokens = createAccessTokens(tokenSecret(sql, config.tokenSecret));
  const refusals = createRefusals({ sql });
  const readAccessToken = accessTokens.read;
  const authentication = createAuthentication({ ...config, sql, refusals, readAccessToken });
  const users = createUsers({ ...hooks, sql, defaultRole: config.defaultRole });
  const sessions = createSessions({ sql, authentication, refusals });
  const services = {
    authentication,
    users,
    sessions,
    apiKeys: createApiKeys({ sql }),
    tokens: createTokens({ sql, accessTokens, authentication, sessions, refusals }),
    profile: createProfile({ sql, users }),
    signInLinks: createSignInLinks({ sql, users }),
    requester: createRequester(users),
  };
  return {
    name: 'identity',
    services,
    routes(api, registered) {
      registerIdentityRoutes(api, { ...services, registered });
      registerOwnKeyRoutes(api, services);
      registerSessionRoutes(api, { ...services, publicUrl: config.publicUrl });
    },
    appRoutes: (server) => registerAppSessionRoutes(server, services),
    periodic: [periodicSessionCleanup(sql)],
    names: (_viewer, ids) => listNames(sql, ids),
  } satisfies Feature;
}

function tokenSecret(sql: Database, configured: string | undefined): () => Promise<Uint8Array> {
  if (configured === undefined) return installationSecret(sql, 'tokens');
  const secret = new TextEncoder().encode(configured);
  return async () => secret;
}
