import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll } from 'vitest';
import { parseConfig } from '../../src/app/config.ts';
import { createNexus, type Nexus, type Services } from '../../src/app/nexus.ts';
import { createResources, type Resources } from '../../src/app/resources.ts';
import type { ErrorCode } from '../../src/contract/errors.ts';
import type { Role } from '../../src/contract/roles.ts';
import { seedBootstrapKeys } from '../../src/features/identity/bootstrap.ts';
import type { RegisteredRoute } from '../../src/http/access.ts';
import type { Shell } from '../../src/http/server.ts';
import type { Database } from '../../src/platform/database/database.ts';
import { readMigrations } from '../../src/platform/database/migrator.ts';
import { createLogger } from '../../src/platform/telemetry/logger.ts';
import { createMetrics } from '../../src/platform/telemetry/metrics.ts';
import { type Answer, type CallOptions, call, DEV_KEYS } from './call.ts';
import type { TestDatabase } from './database.ts';
import { newDirectory } from './workspace.ts';

export { type Answer, type CallOptions, call, DEV_KEYS };

export interface TestApp {
  readonly url: string;
  readonly nexus: Nexus;
  /** Another Nexus with the same resources, as another process would be. It is closed together with the app. */
  another(options: { sql?: Database; environment?: Record<string, string> }): Nexus;
  readonly services: Services;
  readonly queue: Nexus['queue'];
  readonly engine: Nexus['engine'];
  readonly shell: Shell;
  readonly resources: Resources;
  readonly routes: RegisteredRoute[];
  call(method: string, path: string, options?: CallOptions): Promise<Answer>;
}

/** Starts an app on a free port, on the file's database, with the four well-known keys. */
export function useApp(
  database: TestDatabase,
  environment: Record<string, string> = {},
  {
    listen = false,
    youtubeOrigin,
    webDirectory,
  }: { listen?: boolean; youtubeOrigin?: string; webDirectory?: string } = {},
): TestApp {
  let running: { url: string; nexus: Nexus; shell: Shell; resources: Resources } | undefined;
  const others: Nexus[] = [];
  const started = () => {
    if (!running) throw new Error('The app starts before the first test.');
    return running;
  };

  const log = createLogger({ level: 'silent', format: 'json' });

  beforeAll(async () => {
    const config = parseConfig({
      NEXUS_ENV: 'test',
      NEXUS_PORT: '0',
      NEXUS_DATA_DIR: await newDirectory('data'),
      ...environment,
    });
    const { sql } = database;
    const metrics = createMetrics();
    const resources = createResources({ config, log, metrics, youtubeOrigin });
    const listenAt = listen ? database.target : undefined;
    const nexus = createNexus({ config, sql, log, listenAt, metrics, resources });
    const { users } = nexus.services;
    await seedBootstrapKeys({ sql, users, env: config.env }, config.bootstrapKeys);
    await nexus.start();
    const shell = await nexus.httpServer({ migrations: await readMigrations(), webDirectory });
    await shell.server.listen({ host: config.host, port: config.port });
    const { port } = shell.server.server.address() as AddressInfo;
    running = { url: `http://127.0.0.1:${port}`, nexus, shell, resources };
  });

  afterAll(async () => {
    await running?.shell.server.close();
    for (const nexus of [...others, ...(running ? [running.nexus] : [])]) await nexus.close();
    await running?.resources.close();
  });

  return {
    get url() {
      return started().url;
    },
    get nexus() {
      return started().nexus;
    },
    another({ sql = database.sql, environment: variables }) {
      const config = parseConfig({ NEXUS_ENV: 'test', ...variables });
      const nexus = createNexus({
        config,
        sql,
        log,
        metrics: createMetrics(),
        resources: started().resources,
      });
      others.push(nexus);
      return nexus;
    },
    get services() {
      return started().nexus.services;
    },
    get queue() {
      return started().nexus.queue;
    },
    get engine() {
      return started().nexus.engine;
    },
    get resources() {
      return started().resources;
    },
    get shell() {
      return started().shell;
    },
    get routes() {
      return started().shell.routes;
    },
    call: (method, path, options) => call(started().url, method, path, options),
  };
}

/** Matches an answer with this error, for `toMatchObject`. */
export function failure(status: number, code: ErrorCode) {
  return { status, body: { error: { code, message: expectSentence, request_id: expectToken } } };
}

const expectSentence = {
  asymmetricMatch: (value: unknown) => typeof value === 'string' && /^\S.*[.!?]$/s.test(value),
};
const expectToken = {
  asymmetricMatch: (value: unknown) => typeof value === 'string' && /^[\w.-]+$/.test(value),
};

let people = 0;

/** A user with a key. */
export async function createPerson(
  app: TestApp,
  { role = 'researcher', raw = false, expiresAt }: { role?: Role; raw?: boolean; expiresAt?: Date } = {},
) {
  people += 1;
  const actor = { name: 'test' };
  const user = await app.services.users.create({ username: `person-${people}`, role }, actor);
  const { key, ...apiKey } = await app.services.apiKeys.create(
    user,
    { name: 'test', raw_mode_enabled: raw, expires_at: expiresAt },
    actor,
  );
  return { user, key, apiKey };
}
