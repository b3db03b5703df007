import { z } from 'zod';
import { jobStatus } from './jobs.ts';
import { mode } from './roles.ts';
import { id, listQuery, page, timestamp } from './wire.ts';

/** From the smallest unit of a text to the largest. */
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

/** The form of a document's content, as plugins see it. */
export const MODALITIES = ['text', 'pdf', 'audio', 'image', 'binary'] as const;
export type Modality = (typeof MODALITIES)[number];

/** A range of the canonical text of a fragment: `canonical_text.slice(start, end)`. */
export const span = z.object({ fragment_idx: z.int(), start: z.int(), end: z.int() });
export type Span = z.output<typeof span>;

/** A finding, with its count and its first ranges. */
export const finding = z.object({
  kind: z.string(),
  label: z.string(),
  count: z.int(),
  note: z.string().optional(),
  spans: z.array(span),
});
export type Finding = z.output<typeof finding>;

/** The output of a layer. Every layer has this shape; `docs/analysis.md` lists their measures and kinds. */
export const layerOutput = z.object({
  /** One sentence for a reader. */
  summary: z.string(),
  measures: z.record(z.string(), z.union([z.number(), z.string()])),
  /** The most important findings. */
  findings: z.array(finding),
});
export type LayerOutput = z.output<typeof layerOutput>;

/** A layer of a run, with its confidence and provider. */
export const analysedLayer = z.object({
  layer: layerName,
  output: layerOutput,
  confidence: z.number().min(0).max(1),
  provider_name: z.string(),
  provider_version: z.string(),
  runtime_ms: z.int(),
  /** Why the first plugin of the profile was not used; null when it was. */
  fallback_reason: z.string().nullable(),
});
export type AnalysedLayer = z.output<typeof analysedLayer>;

/** A run in a list. */
export const analysisRunSummary = z.object({
  id,
  document_id: id,
  job_id: id,
  mode,
  plugin_profile: pluginProfile,
  /** The run that this one shadows. */
  shadow_of: id.nullable(),
  /** Whether a shadow run under another profile exists or is enqueued. */
  has_shadow: z.boolean(),
  /** `en`, or `und` for languages that the deterministic layers do not know. */
  language: z.string(),
  word_count: z.int(),
  confidence: z.number(),
  layer_count: z.int(),
  runtime_ms: z.int(),
  created_by: z.string(),
  created_at: timestamp,
});
export type AnalysisRunSummary = z.output<typeof analysisRunSummary>;

export const analysisRun = analysisRunSummary.extend({
  /** The hash of the analysed text without redacted parts, which could be guessed from a full hash. */
  text_sha256: z.string(),
  layers: z.array(analysedLayer),
});
export type AnalysisRun = z.output<typeof analysisRun>;

export const analysisRunQuery = listQuery.extend({ document_id: id });
export const analysisRunList = z.object({ runs: z.array(analysisRunSummary), page });

/** The profiles: which plugins are asked, in which order. */
export const analysisProfiles = z.object({
  profiles: z.array(
    z.object({
      plugin_profile: pluginProfile,
      /** Whether the first plugin is configured; otherwise the next one answers, if there is one. */
      is_available: z.boolean(),
      /** The version is null when the plugin is not configured. */
      plugins: z.array(z.object({ name: z.string(), version: z.string().nullable() })),
    }),
  ),
  /** Whether shadow runs are enabled. */
  is_shadow_enabled: z.boolean(),
});
export type AnalysisProfiles = z.output<typeof analysisProfiles>;

/** The payload of an `analyze` job. */
export const analyzePayload = z.strictObject({
  document_id: id,
  mode: mode.default('PUBLIC'),
  plugin_profile: pluginProfile.default('deterministic'),
  layers: z
    .array(layerName)
    .min(1)
    .max(LAYERS.length)
    .refine((names) => new Set(names).size === names.length, 'names a layer twice')
    .optional(),
});
export type AnalyzePayload = z.output<typeof analyzePayload>;

export const analyze = analyzePayload.extend({
  execution_mode: z.enum(['sync', 'async', 'shadow']).default('sync'),
});

export const analyzeAnswer = z.object({
  job_id: id,
  status: jobStatus,
  execution_mode: z.enum(['sync', 'async', 'shadow']),
  /** Set when the job has succeeded. */
  analysis_run_id: id.nullable(),
  run: analysisRun.nullable(),
  error_code: z.string().nullable(),
  error_text: z.string().nullable(),
});

const both = <T extends z.ZodType>(value: T) => z.object({ primary: value, shadow: value });

/** The comparison of two runs over one text in one layer. */
export const layerComparison = z.object({
  layer: layerName,
  /** From 0, nothing in common, to 1, equal: findings and measures together. */
  agreement: z.number(),
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
  /** The mean over all layers; null until the shadow has completed. */
  agreement: z.number().nullable(),
  layers: z.array(layerComparison),
});
export type ShadowAnswer = z.output<typeof shadowAnswer>;
