import type { LayerName, LayerOutput, Modality } from '../../../contract/analysis.ts';
import type { Baseline } from '../layer-pipeline.ts';
import type { DocumentText } from '../text.ts';

/** One layer of one text, to be analysed. */
export interface LayerRequest {
  layer: LayerName;
  modality: Modality;
  /** The beginning of the text, as the mode allows it to be shown, and where its fragments lie. */
  excerpt: DocumentText;
  /** What the deterministic rules say. */
  baseline: Baseline;
}

/** Somebody who can analyse layers. */
export interface LayerPlugin {
  name: string;
  version: string;
  modalities: readonly Modality[];
  /** Whoever takes longer is passed over. */
  timeoutMs: number;
  healthcheck(signal: AbortSignal): Promise<boolean>;
  supports(layer: LayerName, modality: Modality): boolean;
  run(request: LayerRequest, signal: AbortSignal): Promise<{ output: LayerOutput; confidence: number }>;
}

/** An answer that makes no sense: asking again would bring another of the kind. */
export class InvalidAnswer extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'InvalidAnswer';
  }
}
