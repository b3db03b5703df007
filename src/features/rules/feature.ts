import type { Feature, Platform } from '../feature.ts';
import type { Requester } from '../identity/requester.ts';
import type { MediaLists } from '../media/lists/list.ts';
import { registerNotificationRoutes } from './notification-routes.ts';
import { createRuleNotifications } from './notifications.ts';
import { moveRuleHistory } from './on-replace.ts';
import { createOnSave } from './on-save.ts';
import { periodicRunRetention } from './retention.ts';
import { registerRuleRoutes } from './routes.ts';
import { createRules } from './rules.ts';
import { defineRunRule } from './run-job.ts';
import { registerRunRoutes } from './run-routes.ts';
import { createRuleRuns } from './runs.ts';
import { defineUndoRun } from './undo-job.ts';

/** Called by media, which know no rules, when one replaces another. */
export const ruleHooks = { onReplace: moveRuleHistory };

interface RulesFeatureDependencies extends Pick<Platform, 'sql' | 'queue'> {
  requester: Requester;
  mediaLists: MediaLists;
}

export function createRulesFeature({ sql, queue, requester, mediaLists }: RulesFeatureDependencies) {
  const onSave = createOnSave({ sql, requester, mediaLists });
  const runType = defineRunRule({ sql, requester, mediaLists });
  const undoType = defineUndoRun({ sql, requester });
  const rules = createRules({ sql });
  const notifications = createRuleNotifications({ sql });
  const ruleRuns = createRuleRuns({ sql, queue, runType, undoType });
  return {
    name: 'rules',
    services: { rules, ruleRuns },
    routes(api) {
      registerRuleRoutes(api, rules);
      registerRunRoutes(api, ruleRuns);
      registerNotificationRoutes(api, notifications);
    },
    jobTypes: [onSave.type, runType, undoType],
    periodic: [periodicRunRetention(sql)],
    subscribers: [onSave.subscriber],
  } satisfies Feature;
}
