import type { Feature, Platform } from '../feature.ts';
import { createGraph } from './graph.ts';
import { createGraphCheck } from './integrity.ts';
import { createNeo4jMirror, type Neo4jOptions } from './neo4j.ts';
import { createProjectionJob } from './projection-job.ts';
import type { Projector } from './projector.ts';
import { registerGraphRoutes } from './routes.ts';

interface GraphFeatureDependencies extends Pick<Platform, 'sql'> {
  projector: Projector;
  config: { neo4j: Neo4jOptions | undefined };
}

export function createGraphFeature({ sql, projector, config }: GraphFeatureDependencies) {
  const graph = createGraph({ sql, projector });
  const projection = createProjectionJob({ sql, graph });
  const mirror = config.neo4j && createNeo4jMirror({ sql, graph, options: config.neo4j });
  return {
    name: 'graph',
    services: { graph },
    routes: (api) => registerGraphRoutes(api, graph),
    jobTypes: [projection.type],
    periodic: projection.periodic,
    subscribers: [projection.subscriber, ...(mirror ? [mirror.subscriber] : [])],
    checks: [createGraphCheck({ sql, graph, projector })],
    close: async () => mirror?.close(),
  } satisfies Feature;
}
