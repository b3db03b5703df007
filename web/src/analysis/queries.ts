import { queryOptions } from '@tanstack/react-query';
import type * as contract from '../../../src/contract/analysis.ts';
import type { job } from '../../../src/contract/jobs.ts';
import { api } from '../api/client.ts';
import { ApiError } from '../api/error.ts';
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

/** What can be chosen of an analysis. */
export interface Wanted {
  mode: Mode;
  profile: Profile;
  /** Whether another profile is to do the same, to be compared. */
  isCompared: boolean;
}

/** All that is known of a document begins with this. */
export const analysisKey = (mediaId: string) => ['analysis', mediaId];

export const runsQuery = (mediaId: string) =>
  queryOptions({
    queryKey: [...analysisKey(mediaId), 'runs'],
    queryFn: ({ signal }) =>
      api
        .get<Wire<typeof contract.analysisRunList>>('/api/v1/analysis/runs', { document_id: mediaId }, signal)
        .then(({ runs }) => runs),
  });

export const runQuery = ({ id, document_id }: RunSummary) =>
  queryOptions({
    queryKey: [...analysisKey(document_id), 'run', id],
    queryFn: ({ signal }) => api.get<Run>(`/api/v1/analysis/runs/${id}`, {}, signal),
    staleTime: 60_000,
  });

/** What can be asked for does not change while a Nexus runs. */
export const profilesQuery = queryOptions({
  queryKey: ['analysis-profiles'],
  queryFn: ({ signal }) => api.get<Profiles>('/api/v1/analysis/profiles', {}, signal),
  staleTime: Number.POSITIVE_INFINITY,
});

/** Of a run that has one. */
export const shadowQuery = ({ id, document_id }: RunSummary) =>
  queryOptions({
    queryKey: [...analysisKey(document_id), 'shadow', id],
    queryFn: ({ signal }) => api.get<Shadow>(`/api/v1/analysis/runs/${id}/shadow`, {}, signal),
    refetchInterval: ({ state }) => (state.data?.status === 'pending' ? 2000 : false),
    staleTime: 60_000,
  });

const isUnderWay = ({ status }: Job) => ['queued', 'running', 'retry_wait'].includes(status);

/** The event stream says when it is over; asking now and then does so, too. */
export const analysisJobQuery = (jobId: string) =>
  queryOptions({
    queryKey: ['jobs', 'analysis', jobId],
    queryFn: ({ signal }) => api.get<Job>(`/api/v1/jobs/${jobId}`, {}, signal),
    refetchInterval: ({ state }) => (!state.data || isUnderWay(state.data) ? 2000 : false),
  });

/** Queued, where this Nexus queues; otherwise done while we wait, and compared with nothing. */
export async function startAnalysis(
  document_id: string,
  { mode, profile, isCompared }: Wanted,
): Promise<Answer> {
  const ask = (execution_mode: Answer['execution_mode']) =>
    api.post<Answer>('/api/v1/analyze', { document_id, mode, plugin_profile: profile, execution_mode });
  try {
    return await ask(isCompared ? 'shadow' : 'async');
  } catch (error) {
    if (error instanceof ApiError && error.code === 'E_ASYNC_DISABLED') return ask('sync');
    throw error;
  }
}
