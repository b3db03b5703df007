import './rules.css';
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { ArrowLeft, History } from 'lucide-react';
import type { RuleRun } from '../api/types.ts';
import { buttonClass } from '../ui/button.tsx';
import { dateTime } from '../ui/dates.ts';
import { usePageTitle } from '../ui/page-title.ts';
import { Badge, EmptyState, MoreButton, Pending, Skeleton } from '../ui/states.tsx';
import { rulesQuery, runsQuery } from './queries.ts';
import { stateOf, statusOf } from './run-outcome.ts';

const route = getRouteApi('/signed-in/rules/runs');

/** The runs of one rule, or of all, newest first. */
export default function RunsPage() {
  const { rule: ruleId } = route.useSearch();
  const runs = useInfiniteQuery(runsQuery(ruleId));
  const { data: rules } = useQuery(rulesQuery);
  const name = ruleId && rules?.find(({ id }) => id === ruleId)?.name;
  const title = name ? `Runs of ${name}` : 'Runs';
  const found = runs.data?.pages.flatMap(({ data }) => data);
  usePageTitle(title);
  return (
    <div className="page page-narrow">
      <Link to="/rules" className={`${buttonClass('ghost', 'small')} rules-back`}>
        <ArrowLeft size={16} aria-hidden />
        Rules
      </Link>
      <h1 className="page-title" dir="auto">
        {title}
      </h1>
      <p className="page-lead">Rules that you previewed or applied in the last 90 days.</p>
      <Pending query={runs}>
        <Skeleton height="6rem" />
      </Pending>
      {found?.length === 0 && (
        <EmptyState icon={History} title="No runs yet">
          Preview a rule, or apply it to existing items. Items that you save need no run: enabled rules change
          them.
        </EmptyState>
      )}
      {found && found.length > 0 && (
        <ul className="run-list" aria-label="Runs">
          {found.map((run) => (
            <RunRow key={run.id} run={run} withName={ruleId === undefined} />
          ))}
        </ul>
      )}
      <MoreButton list={runs} />
    </div>
  );
}

function RunRow({ run, withName }: { run: RuleRun; withName: boolean }) {
  const { label, tone } = stateOf(run);
  return (
    <li className="run-row">
      <Link to="/rules/runs/$runId" params={{ runId: run.id }} className="run-row-link" dir="auto">
        {withName ? run.rule_name : dateTime(run.created_at)}
      </Link>
      <Badge tone={tone}>{label}</Badge>
      <span className="run-row-text">
        {withName && <time dateTime={run.created_at}>{dateTime(run.created_at)}. </time>}
        {statusOf(run)}
      </span>
    </li>
  );
}
