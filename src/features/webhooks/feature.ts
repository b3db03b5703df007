import { periodicRetention } from '../../platform/jobs/periodic/retention.ts';
import type { Feature, Platform } from '../feature.ts';
import { deleteOldDeliveries } from './delivery-store.ts';
import { registerWebhookRoutes } from './routes.ts';
import { createSender } from './sender.ts';
import { listWebhookNames } from './store.ts';
import { createWebhooks, subscribeWebhooks } from './webhooks.ts';

interface WebhooksFeatureDependencies extends Pick<Platform, 'sql' | 'log' | 'egress' | 'metrics'> {
  config: { outbox: { retentionHours: number } };
}

export function createWebhooksFeature({ sql, log, egress, metrics, config }: WebhooksFeatureDependencies) {
  const webhooks = createWebhooks({ sql, egress });
  const hours = config.outbox.retentionHours;
  return {
    name: 'webhooks',
    services: { webhooks },
    routes: (api) => registerWebhookRoutes(api, webhooks),
    subscribers: [subscribeWebhooks(sql)],
    periodic: [
      periodicRetention('webhook_cleanup', {
        sql,
        table: 'webhook_deliveries',
        hours,
        deleteOld: (ids) => deleteOldDeliveries(sql, ids, hours),
      }),
    ],
    names: (_viewer, ids) => listWebhookNames(sql, ids),
    workSources: [createSender({ sql, log, egress, metrics })],
  } satisfies Feature;
}
