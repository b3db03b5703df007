import type { z } from 'zod';
import type * as contract from '../../contract/analysis.ts';
import type {
  AnalysedLayer,
  AnalysisRun,
  AnalyzePayload,
  Finding,
  LayerComparison,
  ShadowAnswer,
} from '../../contract/analysis.ts';
import { analyzedMediaId } from '../../contract/analysis.ts';
import { NexusError } from '../../contract/errors.ts';
import type { Principal } from '../../contract/identity.ts';
import type { Job } from '../../contract/jobs.ts';
import type { Actor } from '../../platform/audit/audit.ts';
import { cutPage, readCursor } from '../../platform/cursor.ts';
import type { Database } from '../../platform/database/database.ts';
import { findJob } from '../../platform/jobs/read/store.ts';
import type { Governance } from '../governance/governance.ts';
import type { Authentication } from '../identity/authentication.ts';
import { requireReadable } from '../libraries/access/access.ts';
import { requireDocument } from '../media/text/document.ts';
import { type Jobs, seesContent } from '../operations/jobs.ts';
import { mean, rounded } from './layers/layer.ts';
import * as store from './store.ts';

interface RunsDependencies extends Pick<Authentication, 'requireMode'>, Pick<Jobs, 'submit'> {
  sql: Database;
  governance: Pick<Governance, 'shown'>;
  getJob: Jobs['get'];
}

export type Runs = ReturnType<typeof createRuns>;

export function createRuns({ sql, governance, requireMode, submit, getJob }: RunsDependencies) {
  /** Returns a run as this reader may see it now, under the current policies. */
  async function requireRun(principal: Principal, id: string, actor: Actor): Promise<AnalysisRun> {
    const run = await store.findRun(sql, principal, id);
    if (!run)
      throw new NexusError(
        'E_NOT_FOUND',
        `The analysis run ${id} does not exist, or you do not have access to it.`,
      );
    await requireMode(principal, run.mode, actor);
    const outputs = run.layers.map(({ output }) => output);
    const shown = await governance.shown(outputs, run.mode, actor, { analysis_run_id: id });
    return {
      ...run,
      layers: run.layers.map((layer, index) => ({ ...layer, output: shown[index] ?? layer.output })),
    };
  }

  async function answerOf(
    { job_id, status, error_code, error_text, result }: Job,
    execution_mode: z.output<typeof contract.analyze>['execution_mode'],
    { principal, actor }: { principal: Principal; actor: Actor },
  ): Promise<z.output<typeof contract.analyzeAnswer>> {
    const runId = status === 'succeeded' ? String(result.analysis_run_id) : null;
    const run = runId === null ? null : await requireRun(principal, runId, actor);
    return { job_id, status, execution_mode, analysis_run_id: runId, run, error_code, error_text };
  }

  return {
    get: requireRun,

    /** Throws when the caller may not analyse the document. */
    async authorise(payload: AnalyzePayload, principal: Principal): Promise<void> {
      await requireDocument(sql, principal, analyzedMediaId(payload));
    },

    /** Submits an `analyze` job and returns its run. */
    async submit(
      { execution_mode, ...payload }: z.output<typeof contract.analyze>,
      principal: Principal,
      actor: Actor,
    ): Promise<z.output<typeof contract.analyzeAnswer>> {
      const submitted = { job_type: 'analyze', payload, execution_mode, max_attempts: 3 };
      return answerOf(await submit(submitted, principal, actor), execution_mode, { principal, actor });
    },

    /** Returns the answer to a submission again, under the rights and policies of now. */
    async getSubmitted(
      jobId: string,
      { execution_mode, ...payload }: z.output<typeof contract.analyze>,
      { principal, actor }: { principal: Principal; actor: Actor },
    ) {
      await requireReadable(sql, principal, analyzedMediaId(payload));
      return answerOf(await getJob(jobId, principal), execution_mode, { principal, actor });
    },

    async list(
      principal: Principal,
      { media_id, cursor, limit }: z.output<typeof contract.analysisRunQuery>,
    ) {
      await requireReadable(sql, principal, media_id);
      const query = { mediaId: media_id, last: readCursor(cursor), limit: limit + 1 };
      return cutPage(await store.listRuns(sql, principal, query), limit);
    },

    async shadow(principal: Principal, id: string, actor: Actor): Promise<ShadowAnswer> {
      const primary = await requireRun(principal, id, actor);
      const shadow = await store.findShadow(sql, id);
      if (!shadow) throw new NexusError('E_NOT_FOUND', `The analysis run ${id} has no shadow.`);
      const common = { analysis_run_id: id, shadow_job_id: shadow.job_id };
      if (shadow.shadow_run_id === null) {
        return { ...common, ...stateOf(await findJob(sql, shadow.job_id), principal) };
      }
      const other = await requireRun(principal, shadow.shadow_run_id, actor);
      const layers = compareLayers(primary.layers, other.layers);
      return {
        ...common,
        status: 'completed',
        error_code: null,
        error_text: null,
        shadow_run_id: other.id,
        agreement: mean(layers.map(({ agreement }) => agreement)),
        layers,
      };
    },
  };
}

/** The state of a shadow that does not exist yet, from its job. */
function stateOf(
  job: Job | undefined,
  principal: Principal,
): Omit<ShadowAnswer, 'analysis_run_id' | 'shadow_job_id'> {
  const nothing = { shadow_run_id: null, agreement: null, layers: [] };
  if (job && ['queued', 'running', 'retry_wait'].includes(job.status))
    return { status: 'pending', error_code: null, error_text: null, ...nothing };
  const error_text =
    job && !seesContent(principal, job)
      ? 'Only the person who started it can read why.'
      : (job?.error_text ?? 'The job that was to run it is over, and left nothing.');
  return { status: 'failed', error_code: job?.error_code ?? null, error_text, ...nothing };
}

/** The most differences that are listed. */
const MOST_LISTED = 20;

/** Compares two runs over one text, layer by layer. */
function compareLayers(primary: readonly AnalysedLayer[], shadow: readonly AnalysedLayer[]) {
  return primary.flatMap((one) => {
    const other = shadow.find(({ layer }) => layer === one.layer);
    return other ? [compareLayer(one, other)] : [];
  });
}

function compareLayer(primary: AnalysedLayer, shadow: AnalysedLayer): LayerComparison {
  const [mine, theirs] = [keysOf(primary), keysOf(shadow)];
  const onlyIn = (one: Map<string, Finding>, other: Map<string, Finding>) =>
    [...one].filter(([key]) => !other.has(key)).map(([, { kind, label }]) => ({ kind, label }));
  const [onlyMine, onlyTheirs] = [onlyIn(mine, theirs), onlyIn(theirs, mine)];
  const inBoth = mine.size - onlyMine.length;
  const [before, after] = [primary.output.measures, shadow.output.measures];
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])];
  const changed = names
    .map((name) => ({ name, primary: before[name] ?? null, shadow: after[name] ?? null }))
    .filter((measure) => measure.primary !== measure.shadow);
  const same = inBoth + names.length - changed.length;
  const all = inBoth + onlyMine.length + onlyTheirs.length + names.length;
  const both = <T>(read: (layer: AnalysedLayer) => T) => ({ primary: read(primary), shadow: read(shadow) });
  return {
    layer: primary.layer,
    agreement: all === 0 ? 1 : rounded(same / all, 3),
    findings_in_both: inBoth,
    only_in_primary: onlyMine.slice(0, MOST_LISTED),
    only_in_shadow: onlyTheirs.slice(0, MOST_LISTED),
    changed_measures: changed,
    confidence: both(({ confidence }) => confidence),
    runtime_ms: both(({ runtime_ms }) => runtime_ms),
    provider_name: both(({ provider_name }) => provider_name),
    fallback_reason: both(({ fallback_reason }) => fallback_reason),
  };
}

function keysOf({ output }: AnalysedLayer): Map<string, Finding> {
  return new Map(
    output.findings.map((finding) => [`${finding.kind}\n${finding.label.toLowerCase()}`, finding]),
  );
}
