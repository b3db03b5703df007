import type { LayerName, LayerOutput, Modality } from '../../../contract/analysis.ts';
import type { Baseline } from '../layer-pipeline.ts';
import type { DocumentText } from '../text.ts';

/** A request to analyse one layer of one text. */
export interface LayerRequest {
  layer: LayerName;
  modality: Modality;
  /** The beginning of the text, redacted as the mode requires, with the start of each fragment. */
  excerpt: DocumentText;
  /** The output of the deterministic rules. */
  baseline: Baseline;
}

/** A plugin that analyses layers. */
export interface LayerPlugin {
  name: string;
  version: string;
  modalities: readonly Modality[];
  /** A plugin that takes longer is skipped. */
  timeoutMs: number;
  healthcheck(signal: AbortSignal): Promise<boolean>;
  supports(layer: LayerName, modality: Modality): boolean;
  run(request: LayerRequest, signal: AbortSignal): Promise<{ output: LayerOutput; confidence: number }>;
}

/** An invalid answer. A retry would give another one. */
export class InvalidAnswer extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'InvalidAnswer';
  }
}
