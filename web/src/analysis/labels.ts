import type { LayerName, PluginProfile } from '../../../src/contract/analysis.ts';

/** The names of the nine layers for readers. */
const LAYER_NAMES: Record<LayerName, string> = {
  token: 'Words and reading level',
  morphology: 'Word forms',
  syntax: 'Sentences',
  semantics: 'Names and subjects',
  pragmatics: 'Stance and intent',
  discourse: 'Structure',
  sociolinguistics: 'Tone and register',
  rhetoric: 'Figures of speech',
  semiotic: 'Symbols and signs',
};

/** The kinds of findings whose names differ from their keys. */
const KIND_NAMES: Record<string, string> = {
  frequent_word: 'Frequent words',
  derivation: 'Word formation',
  comparison: 'Comparisons',
  question: 'Questions',
  exclamation: 'Exclamations',
  command: 'Commands',
  passive: 'Passives',
  long_sentence: 'Long sentences',
  name: 'Names',
  entity: 'Dates, amounts, addresses',
  key_phrase: 'Key phrases',
  hedge: 'Hedges',
  obligation: 'Obligations',
  promise: 'Promises',
  request: 'Requests',
  example: 'Examples',
  condition: 'Conditions',
  conclusion: 'Conclusions',
  british: 'British spelling',
  american: 'American spelling',
  anaphora: 'Repeated beginnings (anaphora)',
  epistrophe: 'Repeated endings (epistrophe)',
  alliteration: 'Repeated sounds (alliteration)',
  tricolon: 'Groups of three (tricolon)',
  simile: 'Similes',
  antithesis: 'Opposites (antithesis)',
  rhetorical_question: 'Rhetorical questions',
  symbol: 'Recurring images',
  tag: 'Tags',
};

const MEASURE_NAMES: Record<string, string> = {
  lexical_variety: 'Word variety',
  reading_minutes: 'Minutes to read',
  reading_ease: 'Reading ease (0 to 100)',
  grade_level: 'School grade',
  tone_name: 'Tone',
  tone: 'Tone (-1 to 1)',
  cohesion: 'Repeated from earlier sentences',
  linked_sentence_share: 'Sentences that start with a connective',
};

/** Turns `words_per_sentence` into “Words per sentence”, for names that are not listed. */
function humanize(name: string): string {
  const words = name.replaceAll('_', ' ').trim();
  return words.charAt(0).toUpperCase() + words.slice(1);
}

export const layerNameOf = (layer: string) => LAYER_NAMES[layer as LayerName] ?? humanize(layer);
export const kindNameOf = (kind: string) => KIND_NAMES[kind] ?? humanize(kind);
export const measureNameOf = (name: string) => MEASURE_NAMES[name] ?? humanize(name.replace(/_share$/, ''));

const FALLBACKS: Record<string, string> = {
  plugin_missing: 'the model is not set up',
  plugin_unhealthy: 'the model did not answer',
  plugin_unsupported: 'the model does not support this layer',
  plugin_timeout: 'the model took too long',
  plugin_invalid_answer: 'the model gave an invalid answer',
  plugin_failed: 'the model failed',
  all_plugins_failed: 'all models failed',
};

const PROVIDERS: Record<string, string> = {
  deterministic: 'Built-in rules',
  baseline: 'Basic rules',
  ml: 'Model',
};

const PROFILES: Record<PluginProfile, string> = {
  deterministic: 'Built-in rules',
  ml_first: 'Model, with rules as fallback',
  ml_only: 'Model only',
};

export const profileNameOf = (profile: PluginProfile) => PROFILES[profile];
export const fallbackOf = (reason: string) => FALLBACKS[reason] ?? humanize(reason).toLowerCase();
export const providerOf = (name: string) => PROVIDERS[name] ?? name;
