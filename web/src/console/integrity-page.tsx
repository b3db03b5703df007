import { useQuery } from '@tanstack/react-query';
import { ShieldCheck, Wrench } from 'lucide-react';
import { api } from '../api/client.ts';
import { queryKeys } from '../api/queries.ts';
import { Button } from '../ui/button.tsx';
import { count } from '../ui/numbers.ts';
import { Badge, EmptyState, ErrorState, Pending, Skeleton } from '../ui/states.tsx';
import { useAction } from '../ui/use-action.ts';
import { ConsolePage, PrivateContent, useSeesContent } from './console-page.tsx';
import { useFilters } from './filters.tsx';
import { useList } from './list.tsx';
import { isOver, jobQuery } from './queries.ts';
import type { Job, JobSummary } from './types.ts';
import { ConsoleLink, JsonView, Stat, StatusBadge, Time } from './values.tsx';

/** The result of the job. Each inconsistency has a kind and the ids of what it is about. */
interface AuditResult {
  document_count: number;
  inconsistencies: ({ kind: string } & Record<string, unknown>)[];
  inconsistency_count: number;
  repaired: boolean;
}

const SHOWN_OF_EACH_KIND = 50;

export default function IntegrityPage() {
  const [filters, change] = useFilters();
  const runs = useList<JobSummary>('/jobs', queryKeys.jobList('integrity'), {
    job_type: 'integrity_audit',
  });
  const shown = filters.job ?? runs.rows?.[0]?.job_id;
  const run = useAction<boolean, { job_id: string }>({
    run: (repair) => api.post('/jobs/submit', { job_type: 'integrity_audit', payload: { repair } }),
    stale: [queryKeys.jobs()],
    onDone: ({ job_id }) => change({ job: job_id }),
  });
  return (
    <ConsolePage
      title="Integrity"
      lead="Checks that jobs, libraries, files, texts, the search index and the document graph are consistent."
      actions={
        <>
          <Button icon={Wrench} busy={run.isPending} onClick={() => run.mutate(true)}>
            Audit and repair
          </Button>
          <Button look="primary" icon={ShieldCheck} busy={run.isPending} onClick={() => run.mutate(false)}>
            Run audit
          </Button>
        </>
      }
    >
      {runs.error && !runs.rows && <ErrorState error={runs.error} onRetry={() => void runs.refetch()} />}
      {runs.rows?.length === 0 && !shown && (
        <EmptyState icon={ShieldCheck} title="No audit yet">
          An audit changes nothing. Audit and repair also corrects derived data, such as the search index and
          listings.
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
  if (!job.data) {
    return (
      <Pending query={job}>
        <Skeleton height="10rem" />
      </Pending>
    );
  }
  if (job.data.status !== 'succeeded') return <Running job={job.data} />;
  if (!seesContent) return <PrivateContent />;
  const result = job.data.result as unknown as AuditResult;
  const groups = byKind(result.inconsistencies);
  const isClean = result.inconsistency_count === 0;
  return (
    <>
      <div className="console-stats">
        <Stat
          label="Inconsistencies"
          value={isClean ? 'None' : count(result.inconsistency_count)}
          note={!isClean && result.repaired && 'derived data was repaired'}
          tone={!isClean && 'amber'}
        />
        <Stat label="Documents" value={count(result.document_count)} note="checked" />
        <Stat
          label="Run"
          value={<Time at={job.data.updated_at} />}
          note={<ConsoleLink to={`jobs/${jobId}`}>Show job</ConsoleLink>}
        />
      </div>
      {!isClean && !result.repaired && (
        <section className="console-notice" aria-label="Repair">
          <p className="grow">
            Repair corrects derived data, such as the search index and listings. You have to correct other
            inconsistencies yourself.
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
            label={`Inconsistencies: ${kind.replaceAll('_', ' ')}`}
            value={found
              .slice(0, SHOWN_OF_EACH_KIND)
              .map(({ kind: _, ...ids }) => JSON.stringify(ids))
              .join('\n')}
          />
          {found.length > SHOWN_OF_EACH_KIND && (
            <p className="small muted">
              Only the first {SHOWN_OF_EACH_KIND} are shown. The result of the job lists up to 100.
            </p>
          )}
        </details>
      ))}
    </>
  );
}

/** Groups inconsistencies by kind, the most frequent first. */
function byKind(found: AuditResult['inconsistencies']): [string, AuditResult['inconsistencies']][] {
  const kinds = [...new Set(found.map(({ kind }) => kind))];
  return kinds
    .map((kind): [string, AuditResult['inconsistencies']] => [kind, found.filter((one) => one.kind === kind)])
    .toSorted(([, a], [, b]) => b.length - a.length);
}

function Running({ job }: { job: Job }) {
  return (
    <section
      className={`console-notice ${job.status === 'failed' ? 'console-notice-danger' : ''}`}
      role="status"
    >
      <div className="grow">
        <div className="row">
          <StatusBadge status={job.status} />
          <b>{isOver(job.status) ? 'The audit failed' : 'The audit is running'}</b>
        </div>
        {job.error_text && <p className="console-error-text">{job.error_text}</p>}
        {job.progress && (
          <p className="small muted">
            {Object.entries(job.progress)
              .map(([name, value]) => `${name.replaceAll('_', ' ')}: ${String(value)}`)
              .join(' · ')}
          </p>
        )}
        {job.status === 'queued' && <p className="small muted">It is waiting for a worker.</p>}
      </div>
      <ConsoleLink to={`jobs/${job.job_id}`}>Show job</ConsoleLink>
    </section>
  );
}
