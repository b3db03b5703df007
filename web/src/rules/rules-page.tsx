import '../mine/tags.css';
import './rules.css';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { History, Plus, Workflow } from 'lucide-react';
import { lazy, Suspense, useState } from 'react';
import type { Rule } from '../api/types.ts';
import { Button, buttonClass } from '../ui/button.tsx';
import { usePageTitle } from '../ui/page-title.ts';
import { EmptyState, Pending, Skeleton } from '../ui/states.tsx';
import { showToast } from '../ui/toasts.tsx';
import { DeleteRuleDialog, RunRuleDialog } from './dialogs.tsx';
import { Notifications } from './notifications.tsx';
import { rulesQuery } from './queries.ts';
import { RuleCard } from './rule-card.tsx';
import { useStartRun } from './start-run.ts';

const RuleDialog = lazy(() => import('./rule-dialog.tsx'));

export type Asked = { what: 'edit' | 'run' | 'delete'; rule: Rule } | { what: 'create' };

/** The rules of the person, and their notifications. */
export default function RulesPage() {
  const query = useQuery(rulesQuery);
  const [asked, setAsked] = useState<Asked>();
  const close = () => setAsked(undefined);
  const startRun = useStartRun();
  const rules = query.data;
  usePageTitle('Rules');
  const offerPreview = (rule: Rule) =>
    showToast(`Created the rule ${rule.name}`, {
      action: { label: 'Preview', run: () => startRun.mutate({ rule, isDryRun: true }) },
    });
  return (
    <div className="page page-narrow">
      <div className="page-head rules-head">
        <div>
          <h1 className="page-title">Rules</h1>
          <p className="page-lead">
            A rule changes the items that you save, once their text can be searched. Only you see your rules.
          </p>
        </div>
        {rules && rules.length > 0 && (
          <Button look="primary" icon={Plus} onClick={() => setAsked({ what: 'create' })}>
            New rule
          </Button>
        )}
      </div>
      <Notifications />
      <Pending query={query}>
        <Skeleton height="8rem" />
      </Pending>
      {rules?.length === 0 && (
        <EmptyState
          icon={Workflow}
          title="No rules yet"
          actions={
            <Button look="primary" icon={Plus} onClick={() => setAsked({ what: 'create' })}>
              New rule
            </Button>
          }
        >
          For example: tag everything from one site, put long reads into a shared library, or be notified when
          something about a topic is saved.
        </EmptyState>
      )}
      {rules && rules.length > 0 && (
        // The list keeps the focus when the rule of a dialog is gone.
        <ul className="rule-list" aria-label="Your rules" tabIndex={-1}>
          {rules.map((rule) => (
            <RuleCard key={rule.id} rule={rule} onAsk={setAsked} />
          ))}
        </ul>
      )}
      {rules && (
        <p className="rules-foot">
          <Link to="/rules/runs" className={buttonClass('ghost', 'small')}>
            <History size={16} aria-hidden />
            All runs
          </Link>
        </p>
      )}
      <Suspense>
        {asked?.what === 'create' && <RuleDialog onClose={close} onSaved={offerPreview} />}
        {asked?.what === 'edit' && <RuleDialog rule={asked.rule} onClose={close} />}
      </Suspense>
      {asked?.what === 'run' && <RunRuleDialog rule={asked.rule} onClose={close} />}
      {asked?.what === 'delete' && <DeleteRuleDialog rule={asked.rule} onClose={close} />}
    </div>
  );
}
