import Fastify, { type FastifyBaseLogger, LogController } from 'fastify';
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
import { routeOptions } from './route-options.ts';
import { serializerCompiler, validatorCompiler, type ZodTypeProvider } from './schemas.ts';

const forEveryone = routeOptions({ access: 'public', tags: ['Health'] });

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
  server.get(
    '/healthz',
    forEveryone({
      operationId: 'getLiveness',
      summary: 'Liveness',
      description: 'Whether the process responds. Checks nothing else.',
      response: { 200: health },
    }),
    () => ({ status: 'ok' as const }),
  );

  server.get(
    '/readyz',
    forEveryone({
      errors: ['E_UNAVAILABLE'],
      operationId: 'getReadiness',
      summary: 'Readiness',
      description: 'Whether the process can serve requests: the database responds and its schema is current.',
      response: { 200: readiness },
    }),
    async (request) => {
      const pending = await pendingMigrations(sql, migrations).catch((error) => {
        request.log.warn({ err: error }, 'not ready');
        throw unavailable('The database is unavailable, or its schema does not fit this release.');
      });
      if (pending.length > 0)
        throw unavailable(`${pending.length} migrations are not applied. Run \`nexus migrate\`.`);
      return { status: 'ready' as const };
    },
  );

  server.get(
    '/metrics',
    forEveryone({
      operationId: 'getMetrics',
      summary: 'Metrics',
      description: 'Counters and timings of this process since its start, and the backlogs of all processes.',
      response: { 200: metricsBody },
    }),
    () => metrics.read(),
  );

  server.get(
    '/metrics/prometheus',
    forEveryone({
      operationId: 'getPrometheusMetrics',
      summary: 'Metrics for Prometheus',
      description: 'Metrics of this process and of the whole installation.',
      contentTypes: { 200: ['text/plain'] },
      response: { 200: z.string() },
    }),
    async (_request, reply) =>
      reply
        .type(metrics.contentType)
        .serializer((text: string) => text)
        .send(await metrics.write()),
  );
}

function unavailable(message: string): NexusError {
  return new NexusError('E_UNAVAILABLE', message);
}
