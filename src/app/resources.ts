import { type AnalysisProcesses, createAnalysisProcesses } from '../features/analysis/analysis-processes.ts';
import { createProjector, type Projector } from '../features/graph/projector.ts';
import { createExtractors, type Extractors } from '../features/media/extractors/extractors.ts';
import { createEgress, type Egress } from '../platform/egress/egress.ts';
import { storageOnDemand } from '../platform/storage/open-storage.ts';
import type { Storage } from '../platform/storage/storage.ts';
import type { Logger } from '../platform/telemetry/logger.ts';
import type { Config } from './config.ts';
import { createTextProcesses, type TextProcesses } from './text-processes.ts';

/** The resources of Nexus besides its database. Nothing is opened and no process is started before it is needed. */
export interface Resources {
  storage: Storage;
  egress: Egress;
  /** Reaches the model's endpoint, public or not, and nothing else that is private. */
  modelEgress: Egress;
  extractors: Extractors;
  analyser: AnalysisProcesses;
  projector: Projector;
  texts: TextProcesses;
  /** Opens the storage. Fails when files cannot be stored there. */
  open(): Promise<void>;
  close(): Promise<void>;
}

export interface ResourcesOptions {
  config: Pick<Config, 'storage' | 'egressAllow' | 'ml'>;
  log: Logger;
  /** The origin of YouTube. Tests have one of their own. */
  youtubeOrigin?: string | undefined;
}

export function createResources({ config, log, youtubeOrigin }: ResourcesOptions): Resources {
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
    storage,
    egress,
    modelEgress,
    extractors,
    analyser,
    projector,
    texts,
    open: () => storage.open(),
    async close() {
      await Promise.all([extractors.close(), analyser.close(), projector.close(), texts.close()]);
      storage.close();
    },
  };
}

function hostAndPort(url: string): string {
  const { hostname, port, protocol } = new URL(url);
  return `${hostname}:${port || (protocol === 'https:' ? 443 : 80)}`;
}
