import Fastify, { type FastifyBaseLogger, type FastifyContextConfig, LogController } from 'fastify';
import { serializerCompiler, validatorCompiler, type ZodTypeProvider } from 'fastify-type-provider-zod';
import { z } from 'zod';
import { NexusError } from '../contract/errors.ts';
import { health, metrics as metricsBody, readiness } from '../contract/operations.ts';
import type { Database } from '../platform/database/database.ts';
import { type Migration, pendingMigrations } from '../platform/database/migrator.ts';
import type { Logger } from '../platform/telemetry/logger.ts';
import type { Metrics } from '../platform/telemetry/metrics.ts';
import { replyWithError } from './errors.ts';
import type { HttpServer } from './http-server.ts';
import { requireLoopbackHost } from './loopback-host.ts';

interface HealthDependencies {
  sql: Database;
  migrations: Migration[];
  metrics: Pick<Metrics, 'read' | 'write' | 'contentType'>;
}

/** A server with the health and metrics routes and no others, for a process that serves no requests of its own. */
export function createHealthServer(
  log: Logger,
  { isLocal, ...dependencies }: HealthDependencies & { isLocal: boolean },
): HttpServer {
  const server = Fastify({
    loggerInstance: log as FastifyBaseLogger,
    logController: new LogController({ disableRequestLogging: true }),
    forceCloseConnections: true,
  }).withTypeProvider<ZodTypeProvider>();
  server.setValidatorCompiler(validatorCompiler);
  server.setSerializerCompiler(serializerCompiler);
  server.setErrorHandler(replyWithError);
  if (isLocal) requireLoopbackHost(server);
  registerHealthRoutes(server, dependencies);
  return server;
}

export function registerHealthRoutes(
  server: HttpServer,
  { sql, migrations, metrics }: HealthDependencies,
): void {
  const liveness = route('Liveness', 'Whether the process responds. Checks nothing else.', health);
  server.get('/healthz', liveness, () => ({ status: 'ok' as const }));

  const ready = route(
    'Readiness',
    'Whether the process can serve requests: the database responds and its schema is current.',
    readiness,
    { errors: ['E_UNAVAILABLE'] },
  );
  server.get('/readyz', ready, async (request) => {
    const pending = await pendingMigrations(sql, migrations).catch((error) => {
      request.log.warn({ err: error }, 'not ready');
      throw unavailable('The database is unavailable, or its schema does not fit this release.');
    });
    if (pending.length > 0)
      throw unavailable(`${pending.length} migrations are not applied. Run \`nexus migrate\`.`);
    return { status: 'ready' as const };
  });

  const asJson = route(
    'Metrics',
    'Counters and timings of this process since its start, and the backlogs of all processes.',
    metricsBody,
  );
  server.get('/metrics', asJson, () => metrics.read());

  const forPrometheus = route(
    'Metrics for Prometheus',
    'Metrics of this process and of the whole installation.',
    z.string(),
    { produces: { 200: ['text/plain'] } },
  );
  server.get('/metrics/prometheus', forPrometheus, async (_request, reply) =>
    reply
      .type(metrics.contentType)
      .serializer((text: string) => text)
      .send(await metrics.write()),
  );
}

function route<Body extends z.ZodType>(
  summary: string,
  description: string,
  body: Body,
  config: FastifyContextConfig = {},
) {
  return {
    config: { access: 'public' as const, ...config },
    schema: { tags: ['Health'], summary, description, response: { 200: body } },
  };
}

function unavailable(message: string): NexusError {
  return new NexusError('E_UNAVAILABLE', message);
}
