import { z } from 'zod';
import { jobStatus } from './jobs.ts';
import { mode } from './roles.ts';
import { id, listQuery, timestamp } from './wire.ts';

/** The layers of an analysis, from the smallest unit of a text to the largest. */
export const LAYERS = [
  'token',
  'morphology',
  'syntax',
  'semantics',
  'pragmatics',
  'discourse',
  'sociolinguistics',
  'rhetoric',
  'semiotic',
] as const;
export const layerName = z.enum(LAYERS);
export type LayerName = z.infer<typeof layerName>;

export const PLUGIN_PROFILES = ['deterministic', 'ml_first', 'ml_only'] as const;
export const pluginProfile = z.enum(PLUGIN_PROFILES);
export type PluginProfile = z.infer<typeof pluginProfile>;

/** The content types that a plugin can support. */
export const MODALITIES = ['text', 'pdf', 'audio', 'image', 'binary'] as const;
export type Modality = (typeof MODALITIES)[number];

/** A range in the canonical text of a fragment: `canonical_text.slice(start, end)`. */
export const span = z.object({ fragment_idx: z.int(), start: z.int(), end: z.int() });
export type Span = z.output<typeof span>;

/** One finding: its label, how often it occurs, and its first occurrences. */
export const finding = z.object({
  kind: z.string(),
  label: z.string(),
  count: z.int(),
  note: z.string().optional(),
  spans: z.array(span),
});
export type Finding = z.output<typeof finding>;

/** The output of every layer. `docs/analysis.md` lists the measures and the kinds of findings of each. */
export const layerOutput = z.object({
  summary: z.string().describe('One sentence for readers.'),
  measures: z.record(z.string(), z.union([z.number(), z.string()])),
  findings: z.array(finding).describe('The most important findings only.'),
});
export type LayerOutput = z.output<typeof layerOutput>;

/** One layer of a run: its output, its confidence, and the plugin that produced it. */
export const analysedLayer = z.object({
  layer: layerName,
  output: layerOutput,
  confidence: z.number().min(0).max(1),
  provider_name: z.string(),
  provider_version: z.string(),
  runtime_ms: z.int(),
  fallback_reason: z
    .string()
    .nullable()
    .describe('Why the first plugin of the profile was not used; null when it was.'),
});
export type AnalysedLayer = z.output<typeof analysedLayer>;

/** An analysis run as lists show it, without its layers. */
export const analysisRunSummary = z.object({
  id,
  media_id: id,
  job_id: id,
  mode,
  plugin_profile: pluginProfile,
  shadow_of: id.nullable().describe('The run that this one shadows.'),
  has_shadow: z.boolean().describe('Whether a shadow run exists or is in progress.'),
  language: z.string().describe('`en`, or `und` when the deterministic layers do not support the language.'),
  word_count: z.int(),
  confidence: z.number(),
  layer_count: z.int(),
  runtime_ms: z.int(),
  created_by: z.string(),
  created_at: timestamp,
});
export type AnalysisRunSummary = z.output<typeof analysisRunSummary>;

export const analysisRun = analysisRunSummary.extend({
  // A hash of the full text would let a caller guess what was redacted.
  text_sha256: z.string().describe('SHA-256 of the analysed text after redaction.'),
  layers: z.array(analysedLayer),
});
export type AnalysisRun = z.output<typeof analysisRun>;

export const analysisRunQuery = listQuery.extend({ media_id: id.describe('The document.') });

/** The plugin profiles that a caller can request. */
export const analysisProfiles = z.object({
  profiles: z.array(
    z.object({
      plugin_profile: pluginProfile,
      is_available: z
        .boolean()
        .describe(
          "Whether the profile's first plugin is configured. If not, the next plugin runs, if there is one.",
        ),
      plugins: z
        .array(z.object({ name: z.string(), version: z.string().nullable() }))
        .describe(
          'In the order in which they are tried. `version` is null when the plugin is not configured.',
        ),
    }),
  ),
  is_shadow_enabled: z.boolean().describe('Whether shadow runs can be requested.'),
});
export type AnalysisProfiles = z.output<typeof analysisProfiles>;

const analyzeFields = {
  media_id: id.optional(),
  document_id: id.optional().describe('The same as `media_id`; send one of the two.'),
  mode: mode.default('PUBLIC'),
  plugin_profile: pluginProfile.default('deterministic'),
  layers: z
    .array(layerName)
    .min(1)
    .max(LAYERS.length)
    .refine((names) => new Set(names).size === names.length, 'must not contain duplicates')
    .optional(),
};
const namesOneMedia = ({ media_id, document_id }: { media_id?: unknown; document_id?: unknown }) =>
  (media_id === undefined) !== (document_id === undefined);
const ONE_MEDIA = 'must have either media_id or document_id';

/** The payload of an `analyze` job. */
export const analyzePayload = z.strictObject(analyzeFields).refine(namesOneMedia, ONE_MEDIA);
export type AnalyzePayload = z.output<typeof analyzePayload>;

export function analyzedMediaId({ media_id, document_id }: AnalyzePayload): string {
  return media_id ?? document_id ?? '';
}

export const analyze = z
  .strictObject({ ...analyzeFields, execution_mode: z.enum(['sync', 'async', 'shadow']).default('sync') })
  .refine(namesOneMedia, ONE_MEDIA);

export const analyzeAnswer = z.object({
  job_id: id,
  status: jobStatus,
  execution_mode: z.enum(['sync', 'async', 'shadow']),
  analysis_run_id: id.nullable().describe('Set when the job has succeeded.'),
  run: analysisRun.nullable(),
  error_code: z.string().nullable(),
  error_text: z.string().nullable(),
});

const both = <T extends z.ZodType>(value: T) => z.object({ primary: value, shadow: value });

/** How the primary and the shadow run differ in one layer. */
export const layerComparison = z.object({
  layer: layerName,
  agreement: z.number().describe('From 0 (nothing in common) to 1 (identical), over findings and measures.'),
  findings_in_both: z.int(),
  only_in_primary: z.array(finding.pick({ kind: true, label: true })),
  only_in_shadow: z.array(finding.pick({ kind: true, label: true })),
  changed_measures: z.array(
    z.object({
      name: z.string(),
      primary: z.union([z.number(), z.string()]).nullable(),
      shadow: z.union([z.number(), z.string()]).nullable(),
    }),
  ),
  confidence: both(z.number()),
  runtime_ms: both(z.int()),
  provider_name: both(z.string()),
  fallback_reason: both(z.string().nullable()),
});
export type LayerComparison = z.output<typeof layerComparison>;

export const shadowAnswer = z.object({
  analysis_run_id: id,
  shadow_job_id: id,
  status: z.enum(['pending', 'completed', 'failed']),
  error_code: z.string().nullable(),
  error_text: z.string().nullable(),
  shadow_run_id: id.nullable(),
  agreement: z.number().nullable().describe('Over all layers; null until the shadow run has completed.'),
  layers: z.array(layerComparison),
});
export type ShadowAnswer = z.output<typeof shadowAnswer>;
