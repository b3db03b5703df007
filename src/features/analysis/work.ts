import { createHash } from 'node:crypto';
import type { LayerName } from '../../contract/analysis.ts';
import { compileRules, masked, type PolicyHit, type Rule } from '../governance/rules.ts';
import { runLayers, type TextAnalysis } from './layer-pipeline.ts';
import { joinFragments, type TextFragment } from './text.ts';

export interface AnalysisTask {
  fragments: TextFragment[];
  layers: readonly LayerName[];
  /** The policies that the text is judged by before anything is read off it. */
  rules: Rule[];
}

export interface AnalysisResult {
  analysis: TextAnalysis;
  hits: PolicyHit[];
  text_sha256: string;
  /** The text that was analysed: without what the policies redact. */
  text: string;
}

/**
 * Masks redacted text before any layer reads it: a layer cannot repeat what it never saw. Masks keep the length, so the
 * ranges that layers name are also right in the original text.
 */
function analyse({ fragments, layers, rules }: AnalysisTask): AnalysisResult {
  const document = joinFragments(fragments);
  const { hits, redactions } = compileRules(rules).judge(document.text);
  const text = masked(document.text, redactions);
  const isBlocked = hits.some(({ action }) => action === 'block');
  const analysis = runLayers({ ...document, text: isBlocked ? '' : text }, layers);
  return {
    analysis,
    hits,
    text_sha256: createHash('sha256').update(text).digest('hex'),
    text: isBlocked ? '' : text.slice(0, EXCERPT_CHARACTERS),
  };
}

/** The part of a text that plugins elsewhere are shown; a whole book does not fit into a model's context. */
const EXCERPT_CHARACTERS = 12_000;

/** The tasks of an analysis process. */
export const analysisWork = { analyse };
