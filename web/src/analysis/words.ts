import type { LayerName, PluginProfile } from '../../../src/contract/analysis.ts';

/** The nine layers as readers call them. */
export const LAYER_NAMES: Record<LayerName, string> = {
  token: 'Words and reading level',
  morphology: 'Word forms',
  syntax: 'Sentences',
  semantics: 'Names and subjects',
  pragmatics: 'Stance and intent',
  discourse: 'How it hangs together',
  sociolinguistics: 'Tone and register',
  rhetoric: 'Figures of speech',
  semiotic: 'Symbols and signs',
};

const KIND_NAMES: Record<string, string> = {
  frequent_word: 'Words that come again',
  derivation: 'How words are made',
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
  certainty: 'Certainty',
  obligation: 'Obligations',
  politeness: 'Politeness',
  promise: 'Promises',
  request: 'Requests',
  contrast: 'Contrast',
  cause: 'Cause',
  addition: 'Addition',
  sequence: 'Sequence',
  example: 'Examples',
  condition: 'Conditions',
  conclusion: 'Conclusions',
  positive: 'Positive',
  negative: 'Negative',
  informal: 'Informal',
  formal: 'Formal',
  british: 'British spelling',
  american: 'American spelling',
  anaphora: 'Same beginnings (anaphora)',
  epistrophe: 'Same endings (epistrophe)',
  alliteration: 'Same sounds (alliteration)',
  tricolon: 'Threes (tricolon)',
  simile: 'Similes',
  antithesis: 'Opposites (antithesis)',
  repetition: 'Repetition',
  rhetorical_question: 'Rhetorical questions',
  symbol: 'Recurring images',
  emoji: 'Emoji',
  emphasis: 'Emphasis',
  tag: 'Tags',
};

const MEASURE_NAMES: Record<string, string> = {
  lexical_variety: 'Variety of words',
  reading_minutes: 'Minutes to read',
  reading_ease: 'Reading ease (0 to 100)',
  grade_level: 'School grade',
  tone_name: 'Tone',
  tone: 'Tone (-1 to 1)',
  main_tense: 'Told in the',
  main_image: 'Main image',
  cohesion: 'Taken up from before',
  linked_sentence_share: 'Sentences that begin with a link',
  formality: 'Formality',
};

/** `words_per_sentence` is “Words per sentence”. Models may name what nobody here has heard of. */
function spoken(name: string): string {
  const words = name.replaceAll('_', ' ').trim();
  return words.charAt(0).toUpperCase() + words.slice(1);
}

export const layerNameOf = (layer: string) => LAYER_NAMES[layer as LayerName] ?? spoken(layer);
export const kindNameOf = (kind: string) => KIND_NAMES[kind] ?? spoken(kind);
export const measureNameOf = (name: string) => MEASURE_NAMES[name] ?? spoken(name.replace(/_share$/, ''));

const FALLBACKS: Record<string, string> = {
  plugin_missing: 'the model is not set up',
  plugin_unhealthy: 'the model did not answer',
  plugin_unsupported: 'the model does not do this layer',
  plugin_timeout: 'the model took too long',
  plugin_invalid_answer: 'the model gave an answer that makes no sense',
  plugin_failed: 'the model failed',
  all_plugins_failed: 'nobody who was asked could do it',
};

const PROVIDERS: Record<string, string> = {
  deterministic: "Nexus's own rules",
  baseline: 'the simplest rules',
  ml: 'a model',
};

const PROFILES: Record<PluginProfile, string> = {
  deterministic: "Nexus's own rules",
  ml_first: 'A model, then the rules',
  ml_only: 'A model alone',
};

export const profileNameOf = (profile: PluginProfile) => PROFILES[profile];
export const fallbackOf = (reason: string) => FALLBACKS[reason] ?? spoken(reason).toLowerCase();
export const providerOf = (name: string) => PROVIDERS[name] ?? name;

export const percent = (share: number) => `${Math.round(share * 100)} %`;

export function counted(count: number, one: string, many = `${one}s`): string {
  return `${count.toLocaleString()} ${count === 1 ? one : many}`;
}
