import { useNavigate } from '@tanstack/react-router';
import { api } from '../api/client.ts';
import { queryKeys } from '../api/queries.ts';
import type { Rule, RuleRun } from '../api/types.ts';
import { useAction } from '../ui/use-action.ts';

/** Starts a run of a rule, and opens its page. */
export function useStartRun() {
  const navigate = useNavigate();
  return useAction({
    run: ({ rule, isDryRun }: { rule: Pick<Rule, 'id'>; isDryRun: boolean }) =>
      api.postData<RuleRun>(`/rules/${rule.id}/run`, { dry_run: isDryRun }),
    stale: [queryKeys.ruleRuns()],
    onDone: ({ id }) => navigate({ to: '/rules/runs/$runId', params: { runId: id } }),
  });
}
