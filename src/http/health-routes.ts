import { z } from 'zod';
import { NexusError } from '../contract/errors.ts';
import { health, metrics as metricsBody, readiness } from '../contract/operations.ts';
import type { Database } from '../platform/database/database.ts';
import { type Migration, pendingMigrations } from '../platform/database/migrator.ts';
import type { Metrics } from '../platform/telemetry/metrics.ts';
import type { HttpServer } from './http-server.ts';

export interface HealthDependencies {
  sql: Database;
  migrations: Migration[];
  metrics: Pick<Metrics, 'read' | 'write' | 'contentType'>;
}

export function registerHealthRoutes(
  server: HttpServer,
  { sql, migrations, metrics }: HealthDependencies,
): void {
  server.get(
    '/healthz',
    {
      config: { access: 'public' },
      schema: {
        tags: ['Health'],
        summary: 'Liveness',
        description: 'Whether the process responds. Checks nothing else.',
        response: { 200: health },
      },
    },
    () => ({ status: 'ok' as const }),
  );

  server.get(
    '/readyz',
    {
      config: { access: 'public', errors: ['E_UNAVAILABLE'] },
      schema: {
        tags: ['Health'],
        summary: 'Readiness',
        description:
          'Whether the process can serve requests: the database responds and its schema is current.',
        response: { 200: readiness },
      },
    },
    async (request) => {
      const pending = await pendingMigrations(sql, migrations).catch((error) => {
        request.log.warn({ err: error }, 'not ready');
        throw new NexusError(
          'E_UNAVAILABLE',
          'The database is unavailable, or its schema does not fit this release.',
        );
      });
      if (pending.length > 0) {
        throw new NexusError(
          'E_UNAVAILABLE',
          `${pending.length} migrations are not applied. Run \`nexus migrate\`.`,
        );
      }
      return { status: 'ready' as const };
    },
  );

  server.get(
    '/metrics',
    {
      config: { access: 'public' },
      schema: {
        tags: ['Health'],
        summary: 'Metrics',
        description:
          'Counters and timings of this process since its start, and the backlogs of all processes.',
        response: { 200: metricsBody },
      },
    },
    () => metrics.read(),
  );

  server.get(
    '/metrics/prometheus',
    {
      config: { access: 'public', produces: { 200: ['text/plain'] } },
      schema: {
        tags: ['Health'],
        summary: 'Metrics for Prometheus',
        description: 'Metrics of this process and of the whole installation.',
        response: { 200: z.string() },
      },
    },
    async (_request, reply) =>
      reply
        .type(metrics.contentType)
        .serializer((text: string) => text)
        .send(await metrics.write()),
  );
}
