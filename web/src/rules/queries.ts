import { infiniteQueryOptions } from '@tanstack/react-query';
import { api } from '../api/client.ts';
import { dataQuery, onlyForId, queryKeys } from '../api/queries.ts';
import type { ListPage, Rule, RuleNotification, RuleRun, RuleRunItem } from '../api/types.ts';

/** All rules of the person, oldest first. There are at most 100. */
export const rulesQuery = dataQuery<Rule[]>(queryKeys.rules(), '/rules', { limit: 200 });

/** The newest notifications of rules. */
export const notificationsQuery = dataQuery<RuleNotification[]>(
  queryKeys.ruleNotifications(),
  '/rules/notifications',
  { limit: 50 },
);

/** The runs of all rules, or of one, newest first, page by page. */
export const runsQuery = (ruleId: string | undefined) =>
  infiniteQueryOptions({
    queryKey: queryKeys.ruleRunList(ruleId),
    queryFn: ({ pageParam, signal }) =>
      api.get<ListPage<RuleRun>>('/rules/runs', { rule_id: ruleId, limit: 50, cursor: pageParam }, signal),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ page }) => page.next_cursor ?? undefined,
  });

/** A run. Events about its end, and about what it changes, make it stale. */
export const runQuery = (runId: string) =>
  onlyForId(runId, dataQuery<RuleRun>(queryKeys.ruleRun(runId), `/rules/runs/${runId}`));

/** The outcome of a run for each item that matched, page by page. */
export const runItemsQuery = (runId: string) =>
  infiniteQueryOptions({
    queryKey: queryKeys.ruleRunItems(runId),
    queryFn: ({ pageParam, signal }) =>
      api.get<ListPage<RuleRunItem>>(`/rules/runs/${runId}/items`, { limit: 100, cursor: pageParam }, signal),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ page }) => page.next_cursor ?? undefined,
  });
