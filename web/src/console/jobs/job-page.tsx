import { useQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { Ban, RotateCcw } from 'lucide-react';
import { api } from '../../api/client.ts';
import { Button } from '../../ui/button.tsx';
import { ErrorState } from '../../ui/error-state.tsx';
import { SkeletonText } from '../../ui/skeleton.tsx';
import { ConsoleLink } from '../console-link.tsx';
import { ConsolePage } from '../console-page.tsx';
import { PrivateContent, useSeesContent } from '../content.tsx';
import { CopyButton } from '../copy-button.tsx';
import { Facts } from '../facts.tsx';
import { JsonView } from '../json-view.tsx';
import { isOver, jobQuery } from '../queries.ts';
import { StatusBadge } from '../status-badge.tsx';
import { Time } from '../time.tsx';
import type { Job } from '../types.ts';
import { useAction } from '../use-action.ts';
import { AttemptTimeline } from './attempt-timeline.tsx';
import { JOBS_STALE, type JobAction } from './job-actions.ts';

const JOBS = <ConsoleLink to="jobs">Jobs</ConsoleLink>;

export default function JobPage() {
  const { jobId = '' } = useParams({ strict: false }) as { jobId?: string };
  const job = useQuery(jobQuery(jobId));
  const seesContent = useSeesContent(job.data);
  const act = useAction<JobAction, Job>({
    run: (action) => api.post<Job>(`/api/v1/jobs/${jobId}/${action}`),
    stale: JOBS_STALE,
    message: ({ status }) => (status === 'cancelled' ? 'Job cancelled.' : 'Job requeued.'),
  });
  if (!job.data) {
    return (
      <ConsolePage title="Job" above={JOBS}>
        {job.error ? (
          <ErrorState error={job.error} onRetry={() => void job.refetch()} />
        ) : (
          <SkeletonText lines={10} />
        )}
      </ConsolePage>
    );
  }
  const { data } = job;
  const canRequeue = data.status === 'failed' || data.status === 'cancelled';
  return (
    <ConsolePage
      title={data.job_type}
      above={JOBS}
      lead={
        <span className="row">
          <StatusBadge status={data.status} />
          <code className="mono">{data.job_id}</code>
          <CopyButton text={data.job_id} label="Copy ID" />
        </span>
      }
      actions={
        <>
          {canRequeue && (
            <Button
              look="primary"
              icon={RotateCcw}
              busy={act.isPending}
              onClick={() => act.mutate('requeue')}
            >
              Requeue
            </Button>
          )}
          {!isOver(data.status) && (
            <Button look="danger" icon={Ban} busy={act.isPending} onClick={() => act.mutate('cancel')}>
              Cancel
            </Button>
          )}
        </>
      }
    >
      {(data.error_text || data.error_code) && (
        <section className="console-notice console-notice-danger" aria-label="Last error">
          <h2 className="section-title">Last error</h2>
          <p className="console-error-text">
            {data.error_code && <b>{data.error_code}</b>}
            {data.error_text && (data.error_code ? `: ${data.error_text}` : data.error_text)}
          </p>
        </section>
      )}
      <section className="section">
        <h2 className="section-title">Attempts</h2>
        <AttemptTimeline job={data} />
      </section>
      <div className="console-columns section">
        <section>
          <h2 className="section-title">Details</h2>
          <Facts facts={factsOf(data)} />
        </section>
        <div className="stack">{seesContent ? <Content job={data} /> : <PrivateContent />}</div>
      </div>
    </ConsolePage>
  );
}

function Content({ job }: { job: Job }) {
  return (
    <>
      {job.progress && (
        <section>
          <h2 className="section-title">Progress</h2>
          <JsonView label="Progress" value={job.progress} />
        </section>
      )}
      <section>
        <h2 className="section-title">Payload</h2>
        <JsonView label="Payload" value={job.payload} />
      </section>
      {job.status === 'succeeded' && (
        <section>
          <h2 className="section-title">Result</h2>
          <JsonView label="Result" value={job.result} />
        </section>
      )}
      {job.artifacts.map((artifact) => (
        <section key={artifact.artifact_type + artifact.created_at}>
          <h2 className="section-title">Artifact: {artifact.artifact_type}</h2>
          <JsonView label={artifact.artifact_type} value={artifact.artifact_payload} />
        </section>
      ))}
    </>
  );
}

function factsOf(job: Job) {
  return [
    [
      'Queue',
      <ConsoleLink key="queue" to="jobs" search={{ queue: job.queue }}>
        {job.queue}
      </ConsoleLink>,
    ],
    ['Priority', job.priority],
    ['Attempts', `${job.attempt_count} of ${job.max_attempts}`],
    ['Runs', job.execution_mode === 'sync' ? 'in the request' : 'in a worker'],
    ['Created', <Time key="created" at={job.created_at} />],
    ['Created by', job.created_by ?? 'Nexus'],
    ['Updated', <Time key="updated" at={job.updated_at} />],
    [
      'Next attempt',
      isOver(job.status) || job.status === 'running' ? null : <Time key="next" at={job.next_run_at} />,
    ],
    ['Worker', job.lease_owner],
    ['Lease until', job.lease_expires_at && <Time key="lease" at={job.lease_expires_at} />],
    [
      'Idempotency key',
      job.idempotency_key && (
        <code key="key" className="mono">
          {job.idempotency_key}
        </code>
      ),
    ],
    [
      'Request ID',
      job.request_id && (
        <code key="request" className="mono">
          {job.request_id}
        </code>
      ),
    ],
  ] as const;
}
