import '../mine/tags.css';
import './rules.css';
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { ArrowLeft, Eye, Play, Undo2, X } from 'lucide-react';
import { useState } from 'react';
import { api } from '../api/client.ts';
import { queryKeys } from '../api/queries.ts';
import type { RuleRun, RuleRunItem } from '../api/types.ts';
import { librariesQuery } from '../library/queries.ts';
import { Button, buttonClass } from '../ui/button.tsx';
import { dateTime } from '../ui/dates.ts';
import { plural } from '../ui/numbers.ts';
import { usePageTitle } from '../ui/page-title.ts';
import { ErrorState, MoreButton, Pending, SkeletonText } from '../ui/states.tsx';
import { useAction } from '../ui/use-action.ts';
import { RunRuleDialog } from './dialogs.tsx';
import { runItemsQuery, runQuery } from './queries.ts';
import { RuleSentence } from './rule-sentence.tsx';
import { isRunning, isUndoing, isUndone, mayUndo, outcomeOf, statusOf } from './run-outcome.ts';
import { useStartRun } from './start-run.ts';

const route = getRouteApi('/signed-in/rules/runs/$runId');

/** One run of a rule: its progress, then what it did with each item, and Undo. */
export default function RunPage() {
  const { runId } = route.useParams();
  const query = useQuery(runQuery(runId));
  const run = query.data;
  const title = run ? `${run.is_dry_run ? 'Preview' : 'Apply'}: ${run.rule_name}` : 'Run of a rule';
  usePageTitle(title);
  return (
    <div className="page page-narrow">
      <Link to="/rules" className={`${buttonClass('ghost', 'small')} rules-back`}>
        <ArrowLeft size={16} aria-hidden />
        Rules
      </Link>
      {query.error && !run ? (
        <ErrorState error={query.error} onRetry={() => void query.refetch()} />
      ) : (
        <>
          <h1 className="page-title" dir="auto">
            {title}
          </h1>
          {run ? <Run run={run} /> : <SkeletonText lines={4} />}
        </>
      )}
    </div>
  );
}

function Run({ run }: { run: RuleRun }) {
  const isActive = isRunning(run) || isUndoing(run);
  return (
    <>
      <div className="run-head">
        <RuleSentence query={run.query} actions={run.actions} />
        <p className="run-status" role="status">
          {statusOf(run)}
        </p>
        {isActive && (
          <progress className="run-progress" aria-label={isUndoing(run) ? 'Undoing' : 'Running'} />
        )}
        {run.status === 'failed' && run.error_message && (
          <p className="form-error" role="alert">
            {run.error_message}
          </p>
        )}
        {run.undo_status === 'failed' && (
          <p className="form-error" role="alert">
            Undo failed before it was complete. Undo again to continue.
          </p>
        )}
        {run.refused_count > 0 && (
          <p className="rule-warning">
            {plural(run.refused_count, 'item was', 'items were')} not added, because you may not add to the
            library.
          </p>
        )}
        <RunActions run={run} />
        <p className="small muted">
          {run.is_dry_run ? 'Nothing was changed. ' : ''}
          Started {dateTime(run.created_at)}. Runs are kept for 90 days.
        </p>
      </div>
      <RunItems run={run} />
    </>
  );
}

function RunActions({ run }: { run: RuleRun }) {
  const { id, rule_id, rule_name: name, query, actions } = run;
  const [isAsking, setAsking] = useState(false);
  const stale = [
    queryKeys.ruleRuns(),
    queryKeys.mediaLists(),
    queryKeys.oneMedia(),
    queryKeys.tags(),
    queryKeys.libraries(),
  ];
  const cancelling = useAction({ run: () => api.post(`/rules/runs/${id}/cancel`), stale });
  const undoing = useAction({ run: () => api.post(`/rules/runs/${id}/undo`), stale });
  const startRun = useStartRun();
  const rule = rule_id !== null ? { id: rule_id, name, query, actions } : undefined;
  const mayPreview = rule && run.is_dry_run && !isRunning(run);
  if (!isRunning(run) && !mayPreview && !mayUndo(run)) return null;
  return (
    <div className="row">
      {isRunning(run) && (
        <Button icon={X} busy={cancelling.isPending} onClick={() => cancelling.mutate()}>
          Cancel
        </Button>
      )}
      {mayPreview && run.changed_count > 0 && (
        <Button look="primary" icon={Play} onClick={() => setAsking(true)}>
          Apply to existing items
        </Button>
      )}
      {mayPreview && (
        <Button
          icon={Eye}
          busy={startRun.isPending}
          onClick={() => startRun.mutate({ rule, isDryRun: true })}
        >
          Preview again
        </Button>
      )}
      {mayUndo(run) && (
        <Button icon={Undo2} busy={undoing.isPending} onClick={() => undoing.mutate()}>
          Undo
        </Button>
      )}
      {rule && isAsking && <RunRuleDialog rule={rule} onClose={() => setAsking(false)} />}
    </div>
  );
}

function RunItems({ run }: { run: RuleRun }) {
  const items = useInfiniteQuery(runItemsQuery(run.id));
  const { data: libraries } = useQuery(librariesQuery);
  const { library_id } = run.actions;
  const libraryName = libraries?.find(({ id }) => id === library_id)?.name ?? 'the library';
  const found = items.data?.pages.flatMap(({ data }) => data);
  return (
    <section aria-labelledby="run-items">
      <h2 id="run-items" className="section-title">
        Items
      </h2>
      <Pending query={items}>
        <SkeletonText lines={6} />
      </Pending>
      {found?.length === 0 && (
        <p className="muted">
          {isRunning(run) ? 'No items yet.' : 'No item matched, or you can no longer read them.'}
        </p>
      )}
      <ul className="run-items" aria-label="Items of this run">
        {found?.map((item) => (
          <RunItem key={item.media_id} item={item} run={run} libraryName={libraryName} />
        ))}
      </ul>
      <MoreButton list={items} />
    </section>
  );
}

function RunItem({ item, run, libraryName }: { item: RuleRunItem; run: RuleRun; libraryName: string }) {
  const isChanged = item.tags.length > 0 || item.is_added || item.is_archived || item.is_favourite;
  return (
    <li className="run-item" data-changed={isChanged && !isUndone(run)}>
      <Link to="/read/$mediaId" params={{ mediaId: item.media_id }} className="run-item-title" dir="auto">
        {item.title}
      </Link>
      {outcomeOf(item, run, libraryName).map((line) => (
        <span key={line} className="run-item-outcome">
          {line}
        </span>
      ))}
    </li>
  );
}
