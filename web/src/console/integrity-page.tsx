import { useQuery } from '@tanstack/react-query';
import { ShieldCheck, Wrench } from 'lucide-react';
import { api } from '../api/client.ts';
import { Badge } from '../ui/badge.tsx';
import { Button } from '../ui/button.tsx';
import { EmptyState } from '../ui/empty-state.tsx';
import { ErrorState } from '../ui/error-state.tsx';
import { Skeleton } from '../ui/skeleton.tsx';
import { ConsoleLink } from './console-link.tsx';
import { ConsolePage } from './console-page.tsx';
import { PrivateContent, useSeesContent } from './content.tsx';
import { useFilters } from './filters.ts';
import { count } from './format.ts';
import { JsonView } from './json-view.tsx';
import { useList } from './lists.ts';
import { isOver, jobQuery } from './queries.ts';
import { Stat } from './stat.tsx';
import { StatusBadge } from './status-badge.tsx';
import { Time } from './time.tsx';
import type { Job, JobSummary } from './types.ts';
import { useDeed } from './use-deed.ts';

/** What the job hands back; each inconsistency has its kind and the ids that it takes to find it. */
interface AuditResult {
  document_count: number;
  inconsistencies: ({ kind: string } & Record<string, unknown>)[];
  inconsistency_count: number;
  repaired: boolean;
}

const SHOWN_OF_EACH_KIND = 50;

export default function IntegrityPage() {
  const [filters, change] = useFilters();
  const runs = useList<'jobs', JobSummary>('jobs', {
    queryKey: ['jobs', 'list', 'integrity'],
    path: '/api/v1/jobs',
    filters: { job_type: 'integrity_audit' },
    everyMs: 5000,
  });
  const shown = filters.job ?? runs.rows?.[0]?.job_id;
  const run = useDeed<boolean, { job_id: string }>({
    run: (repair) => api.post('/api/v1/jobs/submit', { job_type: 'integrity_audit', payload: { repair } }),
    stale: [['jobs']],
    onDone: ({ job_id }) => change({ job: job_id }),
  });
  return (
    <ConsolePage
      title="Integrity"
      lead="Compares what must agree: libraries with what they hold and why, people with their libraries, jobs with their attempts."
      actions={
        <>
          <Button icon={Wrench} busy={run.isPending} onClick={() => run.mutate(true)}>
            Audit and repair
          </Button>
          <Button look="primary" icon={ShieldCheck} busy={run.isPending} onClick={() => run.mutate(false)}>
            Run the audit
          </Button>
        </>
      }
    >
      {runs.error && !runs.rows && <ErrorState error={runs.error} onRetry={() => void runs.refetch()} />}
      {runs.rows?.length === 0 && !shown && (
        <EmptyState icon={ShieldCheck} title="No audit has been run">
          It reads everything and changes nothing. Audit and repair also puts right what is derived: who sees
          what, through which library.
        </EmptyState>
      )}
      {shown && <Findings jobId={shown} onRepair={() => run.mutate(true)} isBusy={run.isPending} />}
      {(runs.rows?.length ?? 0) > 0 && (
        <section className="section">
          <h2 className="section-title">Runs</h2>
          <ul className="console-runs">
            {runs.rows?.slice(0, 20).map(({ job_id, status, created_at, created_by }) => (
              <li key={job_id}>
                <button
                  type="button"
                  className="console-run"
                  aria-current={job_id === shown || undefined}
                  onClick={() => change({ job: job_id })}
                >
                  <StatusBadge status={status} />
                  <Time at={created_at} />
                  <span className="muted">by {created_by ?? 'Nexus'}</span>
                </button>
              </li>
            ))}
          </ul>
        </section>
      )}
    </ConsolePage>
  );
}

interface FindingsProps {
  jobId: string;
  onRepair: () => void;
  isBusy: boolean;
}

function Findings({ jobId, onRepair, isBusy }: FindingsProps) {
  const job = useQuery(jobQuery(jobId));
  const seesContent = useSeesContent(job.data);
  if (job.error && !job.data) return <ErrorState error={job.error} onRetry={() => void job.refetch()} />;
  if (!job.data) return <Skeleton height="10rem" />;
  if (job.data.status !== 'succeeded') return <UnderWay job={job.data} />;
  if (!seesContent) return <PrivateContent />;
  const result = job.data.result as unknown as AuditResult;
  const groups = byKind(result.inconsistencies);
  const isClean = result.inconsistency_count === 0;
  return (
    <>
      <div className="console-stats">
        <Stat
          label="Found"
          value={isClean ? 'Nothing wrong' : count(result.inconsistency_count)}
          note={isClean ? undefined : noteOn(result)}
          tone={isClean ? 'plain' : 'amber'}
        />
        <Stat label="Documents" value={count(result.document_count)} note="looked at" />
        <Stat
          label="Run"
          value={<Time at={job.data.updated_at} />}
          note={<ConsoleLink to={`jobs/${jobId}`}>Show the job</ConsoleLink>}
        />
      </div>
      {!isClean && !result.repaired && (
        <section className="console-notice" aria-label="What can be done">
          <p className="grow">
            What is derived can be put right: what default libraries hold, and why. The rest needs a person.
          </p>
          <Button icon={Wrench} busy={isBusy} onClick={onRepair}>
            Repair
          </Button>
        </section>
      )}
      {groups.map(([kind, found]) => (
        <details key={kind} className="card console-finding" open={groups.length === 1}>
          <summary>
            <b>{kind.replaceAll('_', ' ')}</b> <Badge tone="amber">{count(found.length)} listed</Badge>
          </summary>
          <JsonView
            label={`Found: ${kind}`}
            value={found
              .slice(0, SHOWN_OF_EACH_KIND)
              .map(({ kind: _, ...ids }) => JSON.stringify(ids))
              .join('\n')}
          />
          {found.length > SHOWN_OF_EACH_KIND && (
            <p className="small muted">
              The first {SHOWN_OF_EACH_KIND}; the result of the job lists {count(found.length)}.
            </p>
          )}
        </details>
      ))}
    </>
  );
}

function noteOn({ inconsistency_count, repaired }: AuditResult): string {
  const noun = inconsistency_count === 1 ? 'inconsistency' : 'inconsistencies';
  return repaired ? `${noun}; what is derived was repaired` : noun;
}

/** The most frequent first. */
function byKind(found: AuditResult['inconsistencies']): [string, AuditResult['inconsistencies']][] {
  const kinds = [...new Set(found.map(({ kind }) => kind))];
  return kinds
    .map((kind): [string, AuditResult['inconsistencies']] => [kind, found.filter((one) => one.kind === kind)])
    .toSorted(([, a], [, b]) => b.length - a.length);
}

function UnderWay({ job }: { job: Job }) {
  return (
    <section
      className={`console-notice ${job.status === 'failed' ? 'console-notice-danger' : ''}`}
      role="status"
    >
      <div className="grow">
        <div className="row">
          <StatusBadge status={job.status} />
          <b>{isOver(job.status) ? 'The audit failed' : 'The audit is under way'}</b>
        </div>
        {job.error_text && <p className="console-error-text">{job.error_text}</p>}
        {job.progress && (
          <p className="small muted">
            {Object.entries(job.progress)
              .map(([name, value]) => `${name.replaceAll('_', ' ')}: ${String(value)}`)
              .join(' · ')}
          </p>
        )}
        {job.status === 'queued' && <p className="small muted">It waits for a worker.</p>}
      </div>
      <ConsoleLink to={`jobs/${job.job_id}`}>Show the job</ConsoleLink>
    </section>
  );
}
