import type { Feature, Platform } from '../feature.ts';
import { periodicWebhookCleanup } from './cleanup.ts';
import { registerWebhookRoutes } from './routes.ts';
import { createSender } from './sender.ts';
import { createWebhooks, subscribeWebhooks } from './webhooks.ts';

export interface WebhooksFeatureDependencies extends Pick<Platform, 'sql' | 'log' | 'egress'> {
  config: { outbox: { retentionHours: number } };
}

export function createWebhooksFeature({ sql, log, egress, config }: WebhooksFeatureDependencies) {
  const webhooks = createWebhooks({ sql, egress });
  return {
    name: 'webhooks',
    services: { webhooks },
    routes: (server) => registerWebhookRoutes(server, webhooks),
    subscribers: [subscribeWebhooks(sql)],
    periodic: [periodicWebhookCleanup(sql, config.outbox.retentionHours)],
    workSources: [createSender({ sql, log, egress })],
  } satisfies Feature;
}
