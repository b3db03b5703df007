import { type AnalysedLayer, type AnalyzePayload, LAYERS, type Modality } from '../../contract/analysis.ts';
import { NexusError } from '../../contract/errors.ts';
import type { User } from '../../contract/identity.ts';
import type { MediaKind } from '../../contract/media.ts';
import { type Mode, roleAllows } from '../../contract/roles.ts';
import type { Actor } from '../../platform/audit/audit.ts';
import type { Database, Queryable } from '../../platform/database/database.ts';
import { newId } from '../../platform/ids.ts';
import type { JobContext } from '../../platform/jobs/job-type.ts';
import type { RunByCost } from '../../platform/processes/by-cost.ts';
import { PermanentError } from '../../platform/work/retry-policy.ts';
import { blocked, createRedact, recordDecision, rulesOf } from '../governance/governance.ts';
import { decisionOf, type PolicyHit, type Rule } from '../governance/rules.ts';
import type { governanceWork } from '../governance/work.ts';
import type { Requester } from '../identity/requester.ts';
import { readDocument, requireDocument } from '../media/text/document.ts';
import type { AnalysisProcesses } from './analysis-processes.ts';
import { mean } from './layers/layer.ts';
import type { Chain, PluginRegistry } from './plugins/registry.ts';
import type { NewRun } from './store.ts';
import { type DocumentText, joinFragments } from './text.ts';
import type { AnalysisResult } from './work.ts';

interface RunAnalysisDependencies {
  sql: Database;
  requester: Requester;
  analysisProcesses: AnalysisProcesses;
  registry: PluginRegistry;
  rawModeEnabled: boolean;
  run: RunByCost<typeof governanceWork>;
}

interface AnalysisRequest
  extends Omit<AnalyzePayload, 'media_id' | 'document_id'>,
    Pick<JobContext, 'jobId' | 'createdBy' | 'requestId'> {
  media_id: string;
  shadowOf?: string;
}

/** A finished run that is not stored yet. */
export interface FinishedRun {
  run: NewRun;
  hits: PolicyHit[];
  actor: Actor;
  /** Throws when the requester can no longer read the document. */
  requireStillReadable(sql: Queryable): Promise<void>;
}

/** The layers that are sent to a plugin in parallel. */
const AT_ONCE = 3;

export type RunAnalysis = (request: AnalysisRequest, signal: AbortSignal) => Promise<FinishedRun>;

/** Analyses a document with the requester's current rights, under the current policies. */
export function createRunAnalysis(dependencies: RunAnalysisDependencies): RunAnalysis {
  const { sql, requester, analysisProcesses, registry, rawModeEnabled, run } = dependencies;
  const redact = createRedact(run);

  function requireMode(user: User, mode: Mode): void {
    if (mode === 'RAW' && !(rawModeEnabled && roleAllows(user.role, 'researcher'))) {
      throw new PermanentError('E_MODE_FORBIDDEN', 'The user who submitted this can no longer use RAW mode.');
    }
  }

  /** Applies the policies to the output too, because a model may write what is not in the text. */
  async function redactOutputs(layers: AnalysedLayer[], rules: Rule[]) {
    const [redacted] = await redact([layers.map(({ output }) => output)], rules);
    const { value, hits } = redacted ?? { value: [], hits: [] };
    return {
      value: layers.map((layer, index) => ({ ...layer, output: value[index] ?? layer.output })),
      hits,
    };
  }

  return async (request, signal) => {
    const begin = performance.now();
    const { mode, plugin_profile, media_id, createdBy, requestId } = request;
    const actor: Actor = { name: createdBy?.name ?? 'system', requestId: requestId ?? undefined };
    const user = await requester(createdBy);
    requireMode(user, mode);
    const document = await permanently(readDocument(sql, user, media_id));
    const rules = await rulesOf(sql, mode);
    const layers = request.layers ?? LAYERS;
    const task = { fragments: document.fragments, layers, rules };
    const result = await analysisProcesses.readLayers(task, signal);
    const refuse = async (hits: PolicyHit[]) => {
      const subject = { media_id, job_id: request.jobId };
      await recordDecision(sql, { mode, hits, actor, subject });
      const { code, message } = blocked(hits);
      throw new PermanentError(code, message);
    };
    if (decisionOf(result.hits) === 'block') await refuse(result.hits);
    const excerpt = { ...joinFragments(document.fragments), text: result.text };
    const source = { modality: modalityOf(document.kind), excerpt };
    const found = await askPlugins(registry.chain(plugin_profile), result, source, signal);
    const { value: shown, hits } = await redactOutputs(found, rules);
    if (decisionOf(hits) === 'block') await refuse(hits);
    return {
      actor,
      hits: [...result.hits, ...hits],
      run: {
        id: newId(),
        media_id,
        job_id: request.jobId,
        mode,
        plugin_profile,
        shadow_of: request.shadowOf ?? null,
        language: result.analysis.language,
        word_count: result.analysis.word_count,
        text_sha256: result.text_sha256,
        confidence: mean(shown.map(({ confidence }) => confidence)),
        runtime_ms: Math.round(performance.now() - begin),
        created_by: user.username,
        created_by_user_id: user.id,
        layers: shown,
      },
      async requireStillReadable(queryable) {
        await permanently(requireDocument(queryable, user, media_id));
      },
    };
  };
}

/** Makes a refusal permanent: it would be refused again on a retry. */
async function permanently<T>(promise: Promise<T>): Promise<T> {
  try {
    return await promise;
  } catch (error) {
    if (!(error instanceof NexusError)) throw error;
    const isLost = error.code === 'E_MEDIA_NOT_FOUND';
    const message = isLost
      ? 'The document was deleted, or the user who submitted this can no longer read it.'
      : error.message;
    throw new PermanentError(error.code, message, { cause: error });
  }
}

/** Asks the plugins of a profile about each layer that the rules have read. */
async function askPlugins(
  chain: Chain,
  { analysis }: AnalysisResult,
  source: { modality: Modality; excerpt: DocumentText },
  signal: AbortSignal,
): Promise<AnalysedLayer[]> {
  const waiting = LAYERS.flatMap((layer) => {
    const baseline = analysis.baselines[layer];
    return baseline ? [{ ...source, layer, baseline }] : [];
  });
  const order = waiting.map(({ layer }) => layer);
  const done: AnalysedLayer[] = [];
  const lane = async () => {
    for (let request = waiting.shift(); request; request = waiting.shift()) {
      done.push({ layer: request.layer, ...(await chain.execute(request, signal)) });
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, lane));
  return done.sort((a, b) => order.indexOf(a.layer) - order.indexOf(b.layer));
}

function modalityOf(kind: MediaKind): Modality {
  if (kind === 'pdf') return 'pdf';
  return kind === 'video' || kind === 'podcast_episode' ? 'audio' : 'text';
}
