import { useQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { Ban, RotateCcw } from 'lucide-react';
import { api } from '../../api/client.ts';
import { Button } from '../../ui/button.tsx';
import { useAction } from '../../ui/use-action.ts';
import { ConsolePage, PendingPage, PrivateContent, useSeesContent } from '../console-page.tsx';
import { isOver, jobQuery } from '../queries.ts';
import type { Job } from '../types.ts';
import { Code, ConsoleLink, Facts, JsonSection, LastError, StatusAndId, Time } from '../values.tsx';
import { AttemptTimeline } from './attempt-timeline.tsx';
import { canRequeue, JOBS_STALE, type JobAction } from './job-actions.ts';

export default function JobPage() {
  const { jobId = '' } = useParams({ strict: false }) as { jobId?: string };
  const query = useQuery(jobQuery(jobId));
  const seesContent = useSeesContent(query.data);
  const act = useAction<JobAction, Job>({
    run: (action) => api.post<Job>(`/jobs/${jobId}/${action}`),
    stale: JOBS_STALE,
    message: ({ status }) => (status === 'cancelled' ? 'Job cancelled.' : 'Job requeued.'),
  });
  const job = query.data;
  if (!job) return <PendingPage title="Job" above="jobs" query={query} />;
  return (
    <ConsolePage
      title={job.job_type}
      above="jobs"
      lead={<StatusAndId status={job.status} id={job.job_id} />}
      actions={
        <>
          {canRequeue(job) && (
            <Button
              look="primary"
              icon={RotateCcw}
              busy={act.isPending}
              onClick={() => act.mutate('requeue')}
            >
              Requeue
            </Button>
          )}
          {!isOver(job.status) && (
            <Button look="danger" icon={Ban} busy={act.isPending} onClick={() => act.mutate('cancel')}>
              Cancel
            </Button>
          )}
        </>
      }
    >
      <LastError code={job.error_code} text={job.error_text} />
      <section className="section">
        <h2 className="section-title">Attempts</h2>
        <AttemptTimeline job={job} />
      </section>
      <div className="console-columns section">
        <section>
          <h2 className="section-title">Details</h2>
          <Facts facts={factsOf(job)} />
        </section>
        <div className="stack">{seesContent ? <Content job={job} /> : <PrivateContent />}</div>
      </div>
    </ConsolePage>
  );
}

function Content({ job }: { job: Job }) {
  return (
    <>
      {job.progress && <JsonSection title="Progress" value={job.progress} />}
      <JsonSection title="Payload" value={job.payload} />
      {job.status === 'succeeded' && <JsonSection title="Result" value={job.result} />}
      {job.artifacts.map(({ artifact_type, artifact_payload, created_at }) => (
        <JsonSection
          key={artifact_type + created_at}
          title={`Artifact: ${artifact_type}`}
          label={artifact_type}
          value={artifact_payload}
        />
      ))}
    </>
  );
}

function factsOf(job: Job) {
  const isWaiting = !isOver(job.status) && job.status !== 'running';
  return {
    Queue: (
      <ConsoleLink to="jobs" search={{ queue: job.queue }}>
        {job.queue}
      </ConsoleLink>
    ),
    Priority: job.priority,
    Attempts: `${job.attempt_count} of ${job.max_attempts}`,
    Runs: job.execution_mode === 'sync' ? 'in the request' : 'in a worker',
    Created: <Time at={job.created_at} />,
    'Created by': job.created_by ?? 'Nexus',
    Updated: <Time at={job.updated_at} />,
    'Next attempt': isWaiting && <Time at={job.next_run_at} />,
    Worker: job.lease_owner,
    'Lease until': job.lease_expires_at && <Time at={job.lease_expires_at} />,
    'Idempotency key': job.idempotency_key && <Code>{job.idempotency_key}</Code>,
    'Request ID': job.request_id && <Code>{job.request_id}</Code>,
  };
}
