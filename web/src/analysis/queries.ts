import type * as contract from '../../../src/contract/analysis.ts';
import type { job } from '../../../src/contract/jobs.ts';
import { ApiError, api } from '../api/client.ts';
import { dataQuery, getQuery, queryKeys } from '../api/queries.ts';
import type { Wire } from '../api/types.ts';

export type Mode = Wire<typeof contract.analysisRun>['mode'];
export type RunSummary = Wire<typeof contract.analysisRunSummary>;
export type Run = Wire<typeof contract.analysisRun>;
export type Layer = Wire<typeof contract.analysedLayer>;
export type Finding = Wire<typeof contract.finding>;
export type Span = Wire<typeof contract.span>;
export type Job = Wire<typeof job>;
export type Profiles = Wire<typeof contract.analysisProfiles>;
export type Profile = RunSummary['plugin_profile'];
export type Shadow = Wire<typeof contract.shadowAnswer>;
export type LayerComparison = Wire<typeof contract.layerComparison>;
type Answer = Wire<typeof contract.analyzeAnswer>;

/** The options of an analysis. */
export interface AnalysisOptions {
  mode: Mode;
  profile: Profile;
  /** Whether a second profile analyses the same text, to compare the results. */
  isCompared: boolean;
}

export const runsQuery = (mediaId: string) =>
  dataQuery<RunSummary[]>(queryKeys.analysisRuns(mediaId), '/analysis/runs', {
    media_id: mediaId,
    limit: 200,
  });

export const runQuery = ({ id, media_id }: RunSummary) => ({
  ...dataQuery<Run>(queryKeys.analysisRun(media_id, id), `/analysis/runs/${id}`),
  staleTime: 60_000,
});

/** The available profiles. They do not change while the server runs. */
export const profilesQuery = {
  ...dataQuery<Profiles>(queryKeys.analysisProfiles(), '/analysis/profiles'),
  staleTime: Number.POSITIVE_INFINITY,
};

/** The comparison of a run that has one. */
export const shadowQuery = ({ id, media_id }: RunSummary) => ({
  ...dataQuery<Shadow>(queryKeys.analysisShadow(media_id, id), `/analysis/runs/${id}/shadow`),
  staleTime: 60_000,
});

export const analysisJobQuery = (jobId: string) => getQuery<Job>(queryKeys.job(jobId), `/jobs/${jobId}`);

/** Starts an analysis as a job. Where jobs are disabled, it runs in the request, without a comparison. */
export async function startAnalysis(
  media_id: string,
  { mode, profile, isCompared }: AnalysisOptions,
): Promise<Answer> {
  const start = (execution_mode: Answer['execution_mode']) =>
    api.postData<Answer>('/analyze', { media_id, mode, plugin_profile: profile, execution_mode });
  try {
    return await start(isCompared ? 'shadow' : 'async');
  } catch (error) {
    if (error instanceof ApiError && error.code === 'E_ASYNC_DISABLED') return start('sync');
    throw error;
  }
}
