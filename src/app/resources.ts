import { createAnalysisProcesses } from '../features/analysis/analysis-processes.ts';
import { createProjector } from '../features/graph/projector.ts';
import { createExtractors } from '../features/media/extractors/extractors.ts';
import { createEgress } from '../platform/egress/egress.ts';
import type { PoolUsage } from '../platform/processes/pool.ts';
import { storageOnDemand } from '../platform/storage/open-storage.ts';
import type { Storage } from '../platform/storage/storage.ts';
import type { Logger } from '../platform/telemetry/logger.ts';
import type { Measurement, Metrics } from '../platform/telemetry/metrics.ts';
import type { Config } from './config.ts';
import { createTextProcesses } from './text-processes.ts';

export type Resources = ReturnType<typeof createResources>;

interface ResourcesOptions {
  config: Pick<Config, 'storage' | 'egressAllow' | 'ml'>;
  log: Logger;
  /** Commands that export no metrics leave it out. */
  metrics?: Metrics | undefined;
  /** The origin of YouTube. Tests have one of their own. */
  youtubeOrigin?: string | undefined;
}

/** The resources of Nexus besides its database. Nothing is opened and no process is started before it is needed. */
export function createResources({ config, log, metrics, youtubeOrigin }: ResourcesOptions) {
  const storage = storageOnDemand(config.storage);
  const egress = createEgress({ allow: config.egressAllow, metrics });
  const modelEgress = createEgress({ allow: config.ml ? [hostAndPort(config.ml.url)] : [], metrics });
  const extractors = createExtractors({
    egress,
    metrics,
    ...(youtubeOrigin && { youtubeOrigin }),
    onBug: (error) => log.error({ err: error }, 'a document could not be extracted'),
  });
  const analysisProcesses = createAnalysisProcesses({ metrics });
  const projector = createProjector({ metrics });
  const texts = createTextProcesses(metrics);
  const pools = [extractors, analysisProcesses, projector, texts];
  return {
    storage: storage as Storage,
    egress,
    /** Reaches the model's endpoint, public or not, and nothing else that is private. */
    modelEgress,
    extractors,
    analysisProcesses,
    projector,
    texts,
    /** Measures the use of the pools of processes. */
    measurePools: (): Measurement[] => pools.flatMap(({ usage }) => measurePool(usage())),
    /** Opens the storage. Fails when files cannot be stored there. */
    open: () => storage.open(),
    async close(): Promise<void> {
      await Promise.all(pools.map((pool) => pool.close()));
      storage.close();
    },
  };
}

function measurePool({ pool, size, ...counts }: PoolUsage): Measurement[] {
  const states = Object.entries(counts).map(([state, value]) => ({
    name: 'nexus_process_pool',
    help: 'Child processes that run a task or are idle, and tasks that wait for one.',
    labels: { pool, state },
    value,
  }));
  return [
    ...states,
    {
      name: 'nexus_process_pool_size',
      help: 'The largest number of child processes of a pool.',
      labels: { pool },
      value: size,
    },
  ];
}

function hostAndPort(url: string): string {
  const { hostname, port, protocol } = new URL(url);
  return `${hostname}:${port || (protocol === 'https:' ? 443 : 80)}`;
}
