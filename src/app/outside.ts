import { type AnalysisProcesses, createAnalysisProcesses } from '../features/analysis/analysis-processes.ts';
import { createProjector, type Projector } from '../features/graph/projector.ts';
import { createExtractors, type Extractors } from '../features/media/extractors/extractors.ts';
import { createEgress, type Egress } from '../platform/egress/egress.ts';
import { storageOnDemand } from '../platform/storage/open-storage.ts';
import type { Storage } from '../platform/storage/storage.ts';
import type { Logger } from '../platform/telemetry/logger.ts';
import type { Config } from './config.ts';
import { createTextProcesses, type TextProcesses } from './text-processes.ts';

/** The resources of Nexus beside its database: files, other sites, and processes that work on documents. */
export interface Outside {
  storage: Storage;
  egress: Egress;
  /** The way to the model: its endpoint is allowed here, public or not, and nowhere else. */
  modelEgress: Egress;
  extractors: Extractors;
  analyser: AnalysisProcesses;
  projector: Projector;
  texts: TextProcesses;
  /** Fails at once when files cannot be kept where they should be. */
  open(): Promise<void>;
  close(): Promise<void>;
}

export interface OutsideOptions {
  config: Pick<Config, 'storage' | 'egressAllow' | 'ml'>;
  log: Logger;
  /** Where YouTube is. Tests play it. */
  youtubeOrigin?: string | undefined;
}

export function createOutside({ config, log, youtubeOrigin }: OutsideOptions): Outside {
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
