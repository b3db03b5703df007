import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll } from 'vitest';
import { buildApp } from '../../src/app/build-app.ts';
import { parseConfig } from '../../src/app/config.ts';
import { createEngine, type Engine } from '../../src/app/engine.ts';
import { createOutside, type Outside } from '../../src/app/outside.ts';
import { createServices, type Services } from '../../src/app/services.ts';
import type { ErrorCode } from '../../src/contract/errors.ts';
import type { Role } from '../../src/contract/roles.ts';
import { seedConfiguredPolicy } from '../../src/features/governance/policies.ts';
import { seedBootstrapKeys } from '../../src/features/identity/bootstrap.ts';
import type { RegisteredRoute } from '../../src/http/access.ts';
import type { Shell } from '../../src/http/server.ts';
import { readMigrations } from '../../src/platform/database/migrator.ts';
import { createLogger } from '../../src/platform/telemetry/logger.ts';
import { createPrometheus } from '../../src/platform/telemetry/prometheus.ts';
import { type Answer, type CallOptions, call, DEV_KEYS } from './call.ts';
import type { TestDatabase } from './database.ts';
import { newDirectory } from './workspace.ts';

export { type Answer, type CallOptions, call, DEV_KEYS };

export interface TestApp {
  readonly url: string;
  readonly services: Services;
  readonly shell: Shell;
  readonly engine: Engine;
  readonly outside: Outside;
  readonly routes: RegisteredRoute[];
  call(method: string, path: string, options?: CallOptions): Promise<Answer>;
}

/** An app on a port of its own, on the file's database, with the four well-known keys. */
export function useApp(
  database: TestDatabase,
  environment: Record<string, string> = {},
  {
    listen = false,
    youtubeOrigin,
    webDirectory,
  }: { listen?: boolean; youtubeOrigin?: string; webDirectory?: string } = {},
): TestApp {
  let running:
    | { url: string; services: Services; shell: Shell; engine: Engine; outside: Outside }
    | undefined;
  const started = () => {
    if (!running) throw new Error('The app starts before the first test.');
    return running;
  };

  beforeAll(async () => {
    const config = parseConfig({
      NEXUS_ENV: 'test',
      NEXUS_PORT: '0',
      NEXUS_DATA_DIR: await newDirectory('data'),
      ...environment,
    });
    const { sql } = database;
    const log = createLogger({ level: 'silent', format: 'json' });
    const outside = createOutside({ config, log, youtubeOrigin });
    const prometheus = createPrometheus();
    const engine = createEngine({
      sql,
      log,
      config,
      outside,
      prometheus,
      listenAt: listen ? database.target : undefined,
    });
    const services = createServices(sql, engine, config, log, outside);
    await seedBootstrapKeys({ sql, users: services.users, env: config.env }, config.bootstrapKeys);
    await seedConfiguredPolicy(sql, config.blockedTerms);
    const migrations = await readMigrations();
    const shell = await buildApp({
      config,
      sql,
      migrations,
      services,
      log,
      prometheus,
      ...(webDirectory && { webDirectory }),
    });
    await shell.server.listen({ host: config.host, port: config.port });
    const { port } = shell.server.server.address() as AddressInfo;
    running = { url: `http://127.0.0.1:${port}`, services, shell, engine, outside };
  });

  afterAll(async () => {
    await running?.shell.server.close();
    await running?.engine.close();
    await running?.outside.close();
  });

  return {
    get url() {
      return started().url;
    },
    get services() {
      return started().services;
    },
    get engine() {
      return started().engine;
    },
    get outside() {
      return started().outside;
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

/** What an answer with this error looks like, for `toMatchObject`. */
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
