import {
  disableWellKnownKeys,
  retireDevelopmentPeople,
  seedBootstrapKeys,
} from '../features/identity/bootstrap.ts';
import type { Users } from '../features/identity/users.ts';
import { bootstrapUsername } from '../features/identity/well-known-keys.ts';
import type { Database } from '../platform/database/database.ts';
import type { Logger } from '../platform/telemetry/logger.ts';
import { readBootstrapKeys } from './bootstrap-keys.ts';
import type { Config } from './config.ts';

/**
 * Brings the bootstrap users and keys in line with the configuration, at every start. Returns the admin's key if Nexus
 * generated it; a configured key is never printed.
 */
export async function bootstrap(
  config: Config,
  { sql, log, users }: { sql: Database; log: Logger; users: Users },
): Promise<string | undefined> {
  const { env } = config;
  if (env !== 'test') await disableWellKnownKeys(sql);
  const retired = env === 'prod' ? await retireDevelopmentPeople(sql, users) : [];
  if (retired.length > 0) {
    log.warn(
      `disabled ${retired.join(', ')} with their keys, sessions and passwords: they come from development`,
    );
  }
  const keys = await readBootstrapKeys(config);
  const taken = await seedBootstrapKeys({ sql, users, env }, keys);
  for (const role of taken) {
    log.warn(
      `somebody has the username ${bootstrapUsername(role)}, so there is no bootstrap key for the role ${role}`,
    );
  }
  const admin = keys.find(({ role, isConfigured }) => role === 'admin' && !isConfigured);
  return taken.includes('admin') ? undefined : admin?.key;
}
