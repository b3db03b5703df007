import { createAnalysisProcesses } from '../features/analysis/analysis-processes.ts';
import { createProjector } from '../features/graph/projector.ts';
import { createExtractors } from '../features/media/extractors/extractors.ts';
import { createEgress } from '../platform/egress/egress.ts';
import { storageOnDemand } from '../platform/storage/open-storage.ts';
import type { Storage } from '../platform/storage/storage.ts';
import type { Logger } from '../platform/telemetry/logger.ts';
import type { Config } from './config.ts';
import { createTextProcesses } from './text-processes.ts';

export type Resources = ReturnType<typeof createResources>;

export interface ResourcesOptions {
  config: Pick<Config, 'storage' | 'egressAllow' | 'ml'>;
  log: Logger;
  /** The origin of YouTube. Tests have one of their own. */
  youtubeOrigin?: string | undefined;
}

/** The resources of Nexus besides its database. Nothing is opened and no process is started before it is needed. */
export function createResources({ config, log, youtubeOrigin }: ResourcesOptions) {
  const storage = storageOnDemand(config.storage);
  const egress = createEgress({ allow: config.egressAllow });
  const modelEgress = createEgress({ allow: config.ml ? [hostAndPort(config.ml.url)] : [] });
  const extractors = createExtractors({
    egress,
    ...(youtubeOrigin && { youtubeOrigin }),
    onBug: (error) => log.error({ err: error }, 'a document could not be extracted'),
  });
  const analyser = createAnalysisProcesses();
  const projector = createProjector();
  const texts = createTextProcesses();
  return {
    storage: storage as Storage,
    egress,
    /** Reaches the model's endpoint, public or not, and nothing else that is private. */
    modelEgress,
    extractors,
    analyser,
    projector,
    texts,
    /** Opens the storage. Fails when files cannot be stored there. */
    open: () => storage.open(),
    async close(): Promise<void> {
      await Promise.all([extractors.close(), analyser.close(), projector.close(), texts.close()]);
      storage.close();
    },
  };
}

function hostAndPort(url: string): string {
  const { hostname, port, protocol } = new URL(url);
  return `${hostname}:${port || (protocol === 'https:' ? 443 : 80)}`;
}
