import { z } from 'zod';
import { jobStatus } from './jobs.ts';
import { mode } from './roles.ts';
import { id, listQuery, page, timestamp } from './wire.ts';

/** From the smallest unit of a text to its largest. */
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

/** What a document is made of, as plugins see it. */
export const MODALITIES = ['text', 'pdf', 'audio', 'image', 'binary'] as const;
export type Modality = (typeof MODALITIES)[number];

/** A place in the canonical text of a fragment: `canonical_text.slice(start, end)`. */
export const span = z.object({ fragment_idx: z.int(), start: z.int(), end: z.int() });
export type Span = z.output<typeof span>;

/** Something that was found, how often, and where: the first places. */
export const finding = z.object({
  kind: z.string(),
  label: z.string(),
  count: z.int(),
  note: z.string().optional(),
  spans: z.array(span),
});
export type Finding = z.output<typeof finding>;

/** What a layer says of a text. Every layer has this shape; `docs/analysis.md` lists their measures and kinds. */
export const layerOutput = z.object({
  /** One sentence for a reader. */
  summary: z.string(),
  measures: z.record(z.string(), z.union([z.number(), z.string()])),
  /** The most important ones. */
  findings: z.array(finding),
});
export type LayerOutput = z.output<typeof layerOutput>;

/** A layer of a run: what was found, how far it can be trusted, and who says so. */
export const analysedLayer = z.object({
  layer: layerName,
  output: layerOutput,
  confidence: z.number().min(0).max(1),
  provider_name: z.string(),
  provider_version: z.string(),
  runtime_ms: z.int(),
  /** Why the first plugin of the profile did not do it; null when it did. */
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
  /** Whether another profile was, or is being, asked for the same. */
  has_shadow: z.boolean(),
  /** `en`, or `und` where the text is in a language that the deterministic layers do not know. */
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
  /** Of the text as it was analysed, without what policies redact: a hash of the rest would let it be guessed. */
  text_sha256: z.string(),
  layers: z.array(analysedLayer),
});
export type AnalysisRun = z.output<typeof analysisRun>;

export const analysisRunQuery = listQuery.extend({ document_id: id });
export const analysisRunList = z.object({ runs: z.array(analysisRunSummary), page });

/** What can be asked for: who analyses, in which order. */
export const analysisProfiles = z.object({
  profiles: z.array(
    z.object({
      plugin_profile: pluginProfile,
      /** Whether the first who is asked is set up; otherwise the next one answers, or nobody. */
      is_available: z.boolean(),
      /** Version null: it is not set up. */
      plugins: z.array(z.object({ name: z.string(), version: z.string().nullable() })),
    }),
  ),
  /** Whether a run can be compared with one under another profile. */
  is_shadow_enabled: z.boolean(),
});
export type AnalysisProfiles = z.output<typeof analysisProfiles>;

/** What an `analyze` job is given. */
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

/** How two runs over one text differ in one layer. */
export const layerComparison = z.object({
  layer: layerName,
  /** From 0, nothing in common, to 1, the same: of findings and measures together. */
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
  /** Over all layers; null until the shadow has completed. */
  agreement: z.number().nullable(),
  layers: z.array(layerComparison),
});
export type ShadowAnswer = z.output<typeof shadowAnswer>;
