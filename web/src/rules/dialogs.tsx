import { api } from '../api/client.ts';
import { queryKeys } from '../api/queries.ts';
import type { Rule } from '../api/types.ts';
import { ConfirmDialog } from '../ui/dialog.tsx';
import { useAction } from '../ui/use-action.ts';
import { RuleSentence } from './rule-sentence.tsx';
import { useStartRun } from './start-run.ts';

interface RunRuleDialogProps {
  rule: Pick<Rule, 'id' | 'name' | 'query' | 'actions'>;
  onClose: () => void;
}

/** Asks before a rule is applied to everything that matches. */
export function RunRuleDialog({ rule, onClose }: RunRuleDialogProps) {
  const starting = useStartRun();
  return (
    <ConfirmDialog
      title={`Apply ${rule.name} to existing items?`}
      action="Apply"
      busy={starting.isPending}
      onConfirm={() => starting.mutate({ rule, isDryRun: false }, { onError: onClose })}
      onClose={onClose}
    >
      <div className="stack">
        <RuleSentence {...rule} />
        <p>
          It is applied to everything in your library that matches now. You see what changed for each item,
          and can undo it.
        </p>
      </div>
    </ConfirmDialog>
  );
}

export function DeleteRuleDialog({ rule, onClose }: { rule: Rule; onClose: () => void }) {
  const deleting = useAction({
    run: () => api.delete(`/rules/${rule.id}`),
    stale: [queryKeys.rules(), queryKeys.ruleNotifications(), queryKeys.ruleRuns()],
    message: () => `Deleted the rule ${rule.name}`,
    onDone: onClose,
  });
  return (
    <ConfirmDialog
      title={`Delete the rule ${rule.name}?`}
      action="Delete"
      danger
      busy={deleting.isPending}
      onConfirm={() => deleting.mutate()}
      onClose={onClose}
    >
      Everything that it changed stays, and its runs can still be undone. Its notifications are deleted. This
      cannot be undone.
    </ConfirmDialog>
  );
}
