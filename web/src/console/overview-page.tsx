import { useQueries } from '@tanstack/react-query';
import { CircleAlert, CircleCheck, TriangleAlert } from 'lucide-react';
import { plural } from '../ui/numbers.ts';
import { ErrorState, Skeleton } from '../ui/states.tsx';
import { ConsolePage } from './console-page.tsx';
import { type Check, checkAll } from './health.ts';
import { Queues } from './jobs/queues.tsx';
import {
  backfillHealthQuery,
  failuresQuery,
  jobStatsQuery,
  outboxHealthQuery,
  workersQuery,
} from './queries.ts';
import { ConsoleLink } from './values.tsx';

const ICONS = { ok: CircleCheck, warning: TriangleAlert, error: CircleAlert };
const LABELS = { ok: 'OK', warning: 'Warning', error: 'Error' };

export default function OverviewPage() {
  const [stats, workers, failures, backfill, outbox] = useQueries({
    queries: [jobStatsQuery, workersQuery, failuresQuery('1440'), backfillHealthQuery, outboxHealthQuery],
  });
  const all = [stats, workers, failures, backfill, outbox];
  const broken = all.find(({ error, data }) => error && data === undefined);
  const checks =
    stats.data && workers.data && failures.data && backfill.data && outbox.data
      ? checkAll({
          queues: stats.data,
          workers: workers.data,
          failures: failures.data,
          backfill: backfill.data,
          outbox: outbox.data,
        })
      : undefined;
  return (
    <ConsolePage
      title={checks ? verdict(checks) : 'Overview'}
      lead="The health of jobs, events and webhooks."
    >
      {broken && (
        <ErrorState error={broken.error} onRetry={() => all.forEach((query) => void query.refetch())} />
      )}
      <ul className="console-checks">
        {checks?.map((check) => <CheckCard key={check.name} check={check} />) ??
          (!broken && Array.from({ length: 6 }, (_, n) => <Skeleton key={String(n)} height="6.5rem" />))}
      </ul>
      <section className="section">
        <h2 className="section-title">Queues, over the last hour</h2>
        <Queues minutes="60" />
      </section>
    </ConsolePage>
  );
}

function verdict(checks: readonly Check[]): string {
  const wrong = checks.filter(({ state }) => state !== 'ok').length;
  return wrong === 0 ? 'All systems OK' : `${plural(wrong, 'problem')} found`;
}

function CheckCard({ check }: { check: Check }) {
  const Icon = ICONS[check.state];
  return (
    <li className={`card console-check console-check-${check.state}`}>
      <Icon size={20} role="img" aria-label={LABELS[check.state]} />
      <div>
        <h2 className="console-check-name">
          <ConsoleLink to={check.to} search={check.search ?? {}}>
            {check.name}
          </ConsoleLink>
        </h2>
        <p className="small">{check.message}</p>
      </div>
    </li>
  );
}
