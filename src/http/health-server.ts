import Fastify, { type FastifyBaseLogger, LogController } from 'fastify';
import { serializerCompiler, validatorCompiler, type ZodTypeProvider } from 'fastify-type-provider-zod';
import type { Logger } from '../platform/telemetry/logger.ts';
import { replyWithError } from './errors.ts';
import { type HealthDependencies, registerHealthRoutes } from './health-routes.ts';
import type { HttpServer } from './http-server.ts';
import { requireLoopbackHost } from './loopback-host.ts';

/** A server with the health and metrics routes and no others, for a process that serves no requests of its own. */
export function createHealthServer(
  log: Logger,
  { isLocal, ...health }: HealthDependencies & { isLocal: boolean },
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
  registerHealthRoutes(server, health);
  return server;
}
