import type { AnalysedLayer, AnalysisRun, AnalysisRunSummary } from '../../contract/analysis.ts';
import type { Queryable, Transaction } from '../../platform/database/database.ts';
import type { SqlFragment } from '../../platform/database/statement.ts';
import { seesWorkOnMedia, type Viewer } from '../libraries/access/can-read-media.ts';

export type NewRun = Omit<AnalysisRun, 'layer_count' | 'has_shadow' | 'created_at'> & {
  created_by_user_id: string;
};

const columns = (sql: Queryable) => sql`
  run.id, run.document_id as media_id, run.job_id, run.mode, run.plugin_profile, run.shadow_of, run.language, run.word_count,
  run.text_sha256, run.confidence, run.runtime_ms, run.created_by, run.created_at,
  (select count(*)::int from analysis_layers where analysis_layers.run_id = run.id) as layer_count,
  exists (select from analysis_shadows where analysis_shadows.run_id = run.id) as has_shadow`;

export async function insertRun(tx: Transaction, { layers, ...run }: NewRun): Promise<void> {
  await tx`
    insert into analysis_runs (
      id, document_id, job_id, mode, plugin_profile, shadow_of, language, word_count, text_sha256, confidence,
      runtime_ms, created_by, created_by_user_id
    )
    values (
      ${run.id}, ${run.media_id}, ${run.job_id}, ${run.mode}, ${run.plugin_profile}, ${run.shadow_of},
      ${run.language}, ${run.word_count}, ${run.text_sha256}, ${run.confidence}, ${run.runtime_ms},
      ${run.created_by}, ${run.created_by_user_id}
    )`;
  const column = <T>(read: (layer: AnalysedLayer) => T) => layers.map(read);
  await tx`
    insert into analysis_layers (
      run_id, layer, idx, output, confidence, provider_name, provider_version, runtime_ms, fallback_reason
    )
    select ${run.id}, *
    from unnest(
      ${column(({ layer }) => layer)}::text[],
      ${layers.map((_, index) => index)}::smallint[],
      ${column(({ output }) => JSON.stringify(output, storable))}::jsonb[],
      ${column(({ confidence }) => confidence)}::float8[],
      ${column(({ provider_name }) => provider_name)}::text[],
      ${column(({ provider_version }) => provider_version)}::text[],
      ${column(({ runtime_ms }) => runtime_ms)}::int[],
      ${column(({ fallback_reason }) => fallback_reason)}::text[]
    )`;
}

/** Runs have the same visibility as branches. */
const isVisible = (sql: Queryable, viewer: Viewer) =>
  seesWorkOnMedia(sql, viewer, { mediaId: sql`run.document_id`, authorId: sql`run.created_by_user_id` });

async function findOne(sql: Queryable, condition: SqlFragment): Promise<AnalysisRun | undefined> {
  const [run] = await sql<Omit<AnalysisRun, 'layers'>[]>`
    select ${columns(sql)} from analysis_runs as run where ${condition}`;
  return run && { ...run, layers: await listLayers(sql, run.id) };
}

export const findRun = (sql: Queryable, viewer: Viewer, id: string) =>
  findOne(sql, sql`run.id = ${id} and ${isVisible(sql, viewer)}`);

/** Finds a run regardless of access, for jobs. */
export const findAnyRun = (sql: Queryable, id: string) => findOne(sql, sql`run.id = ${id}`);

export async function findMediaId(sql: Queryable, runId: string): Promise<string | undefined> {
  const [run] = await sql<{ media_id: string }[]>`
    select document_id as media_id from analysis_runs where id = ${runId}`;
  return run?.media_id;
}

async function listLayers(sql: Queryable, runId: string): Promise<AnalysedLayer[]> {
  return sql<AnalysedLayer[]>`
    select layer, output, confidence, provider_name, provider_version, runtime_ms, fallback_reason
    from analysis_layers
    where run_id = ${runId}
    order by idx`;
}

/** Lists runs, newest first, starting after `last`. */
export async function listRuns(
  sql: Queryable,
  viewer: Viewer,
  { mediaId, last, limit }: { mediaId: string; last: string | null; limit: number },
) {
  return sql<AnalysisRunSummary[]>`
    select ${columns(sql)}
    from analysis_runs as run
    where run.document_id = ${mediaId}
      and ${isVisible(sql, viewer)}
      and (${last}::uuid is null or run.id < ${last})
    order by run.id desc
    limit ${limit}`;
}

export async function insertShadow(tx: Transaction, runId: string, jobId: string): Promise<void> {
  await tx`insert into analysis_shadows (run_id, job_id) values (${runId}, ${jobId})`;
}

export async function findShadow(sql: Queryable, runId: string) {
  const [shadow] = await sql<{ job_id: string; shadow_run_id: string | null }[]>`
    select shadow.job_id, run.id as shadow_run_id
    from analysis_shadows as shadow
    left join analysis_runs as run on run.shadow_of = shadow.run_id
    where shadow.run_id = ${runId}`;
  return shadow;
}

/** Replaces NUL and unpaired surrogates, which a model may return and PostgreSQL's JSON cannot store. */
function storable(_key: string, value: unknown): unknown {
  return typeof value === 'string' ? value.replace(/[\0\p{Surrogate}]/gu, '\uFFFD') : value;
}
