import { createHttpServer } from '../../src/http/server.ts';
import { createIdempotentRequests } from '../../src/platform/idempotency/idempotent-requests.ts';
import { createLogger, type Logger } from '../../src/platform/telemetry/logger.ts';
import { createMetrics } from '../../src/platform/telemetry/metrics.ts';
import type { TestApp } from './app.ts';
import type { TestDatabase } from './database.ts';

type HttpServerOptions = Parameters<typeof createHttpServer>[0];

/** The secret of internal callers. */
export const INTERNAL_SECRET = 'a-secret-for-internal-callers';

/** Starts a server with these routes of the API instead of Nexus's, runs `use` with its URL, and closes it. */
export async function withRoutes<Result>(
  { app, database, log }: { app: TestApp; database: TestDatabase; log?: Logger },
  apiRoutes: HttpServerOptions['apiRoutes'],
  use: (url: URL) => Promise<Result>,
): Promise<Result> {
  const { server } = await createHttpServer({
    log: log ?? createLogger({ level: 'silent', format: 'json' }),
    metrics: createMetrics(),
    authentication: app.services.authentication,
    internal: { secret: INTERNAL_SECRET, openToLoopback: false },
    webApp: { directory: '/nowhere', uploadOrigin: undefined },
    bodyLimitBytes: 1024,
    trustedProxies: [],
    corsOrigins: [],
    isLocal: false,
    publicUrl: undefined,
    idempotentRequests: createIdempotentRequests({ sql: database.sql }),
    otherRoutes() {},
    apiRoutes,
  });
  const url = new URL(await server.listen({ host: '127.0.0.1', port: 0 }));
  try {
    return await use(url);
  } finally {
    await server.close();
  }
}
