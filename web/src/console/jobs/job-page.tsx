import { useQuery } from '@tanstack/react-query';
import { Link, useParams } from '@tanstack/react-router';
import { Ban, RotateCcw } from 'lucide-react';
import { api } from '../../api/client.ts';
import { mediaQuery } from '../../library/queries.ts';
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
    message: ({ status }) => (status === 'cancelled' ? 'Job cancelled.' : 'Retry started.'),
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
              Retry
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
      <Subject job={job} />
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

/** The media that the job is about: its address and, for those who may read it, its title. */
function Subject({ job: { payload, source_url } }: { job: Job }) {
  const mediaId =
    payload && typeof payload === 'object' && 'media_id' in payload ? payload.media_id : undefined;
  const id = typeof mediaId === 'string' ? mediaId : '';
  const { data: media } = useQuery({ ...mediaQuery(id), enabled: id !== '', retry: false });
  if (!media && !source_url) return null;
  return (
    <section aria-label="Item">
      <h2 className="section-title">Item</h2>
      <div className="card">
        {media && (
          <Link to="/read/$mediaId" params={{ mediaId: media.id }} dir="auto">
            {media.title}
          </Link>
        )}
        {source_url && <p className="console-url small muted">{source_url}</p>}
      </div>
    </section>
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
