import { z } from 'zod';
import * as contract from '../../contract/rules.ts';
import { listOf, listQuery } from '../../contract/wire.ts';
import { principalOf } from '../../http/authentication.ts';
import type { HttpServer } from '../../http/http-server.ts';
import { routeOptions } from '../../http/route-options.ts';
import type { RuleNotifications } from './notifications.ts';

const forViewers = routeOptions({ access: 'viewer', feature: 'media', tags: ['Rules'] });

export function registerNotificationRoutes(api: HttpServer, notifications: RuleNotifications): void {
  api.get(
    '/rules/notifications',
    forViewers({
      operationId: 'listRuleNotifications',
      summary: 'List what your rules notified you of',
      description:
        'Newest first: the saved media that a rule with `notify` matched and that the caller can read now. They are kept for ' +
        '90 days.',
      querystring: listQuery,
      response: { 200: listOf(contract.ruleNotification) },
    }),
    (request) => notifications.list(principalOf(request), request.query),
  );

  api.put(
    '/rules/notifications/seen',
    forViewers({
      operationId: 'markRuleNotificationsSeen',
      summary: 'Mark notifications as seen',
      description: 'Marks the notification `through_id` and all older ones of the caller as seen.',
      body: contract.markNotificationsSeen,
      response: { 204: z.null() },
    }),
    async (request, reply) => {
      await notifications.markSeen(principalOf(request), request.body.through_id);
      return reply.status(204).send(null);
    },
  );
}
