import { createHash } from 'node:crypto';
import type { LayerName } from '../../contract/analysis.ts';
import { compileRules, masked, type Rule } from '../governance/rules.ts';
import { runLayers } from './layer-pipeline.ts';
import { joinFragments, type TextFragment } from './text.ts';

export interface AnalysisTask {
  fragments: TextFragment[];
  layers: readonly LayerName[];
  /** The policies that are applied to the text before it is analysed. */
  rules: Rule[];
}

export type AnalysisResult = ReturnType<typeof readLayers>;

/** Reads the layers of a text. Redacted text is masked before; masks keep the length, so ranges fit the original, too. */
function readLayers({ fragments, layers, rules }: AnalysisTask) {
  const document = joinFragments(fragments);
  const { hits, redactions } = compileRules(rules).judge(document.text);
  const text = masked(document.text, redactions);
  const isBlocked = hits.some(({ action }) => action === 'block');
  const analysis = runLayers({ ...document, text: isBlocked ? '' : text }, layers);
  return {
    analysis,
    hits,
    text_sha256: createHash('sha256').update(text).digest('hex'),
    /** The beginning of the analysed text, without redacted parts. */
    text: isBlocked ? '' : text.slice(0, EXCERPT_CHARACTERS),
  };
}

/** The part of a text that is sent to remote plugins. A whole book does not fit into a model's context. */
const EXCERPT_CHARACTERS = 12_000;

/** The tasks of an analysis process. */
export const analysisWork = { readLayers };
