import type { Database } from '../../platform/database/database.ts';
import type { Egress } from '../../platform/egress/egress.ts';
import type { Hints } from '../../platform/outbox/hints.ts';
import type { Logger } from '../../platform/telemetry/logger.ts';
import type { Feature } from '../feature.ts';
import { periodicWebhookCleanup } from './cleanup.ts';
import { registerWebhookRoutes } from './routes.ts';
import { createSender } from './sender.ts';
import { createWebhooks, subscribeWebhooks } from './webhooks.ts';

export interface WebhooksFeatureDependencies {
  sql: Database;
  log: Logger;
  egress: Egress;
  hints: Hints;
  config: { outbox: { retentionHours: number } };
}

export function createWebhooksFeature({ sql, log, egress, hints, config }: WebhooksFeatureDependencies) {
  const webhooks = createWebhooks({ sql, egress });
  const sender = createSender({ sql, log, egress });
  return {
    name: 'webhooks',
    services: { webhooks },
    routes: (server) => registerWebhookRoutes(server, webhooks),
    subscribers: [subscribeWebhooks(sql)],
    periodic: [periodicWebhookCleanup(sql, config.outbox.retentionHours)],
    startLoop: ({ pollSeconds }) => sender.start(hints, pollSeconds),
  } satisfies Feature;
}
