import { useNavigate } from '@tanstack/react-router';
import { Plus, Webhook as WebhookIcon } from 'lucide-react';
import { useState } from 'react';
import { queryKeys } from '../../api/query-keys.ts';
import { Button } from '../../ui/button.tsx';
import type { Column } from '../../ui/data-table.tsx';
import { plural } from '../../ui/numbers.ts';
import { EmptyState } from '../../ui/states.tsx';
import { ConsolePage } from '../console-page.tsx';
import { dateTime } from '../format.ts';
import { ListView, useList } from '../list.tsx';
import { SecretDialog } from '../secret-dialog.tsx';
import type { CreatedWebhook, Webhook } from '../types.ts';
import { ConsoleLink, StatusBadge, Time } from '../values.tsx';
import { WebhookDialog } from './webhook-dialog.tsx';

const COLUMNS: readonly Column<Webhook>[] = [
  {
    title: 'Address',
    render: ({ id, url }) => (
      <ConsoleLink to={`webhooks/${id}`} className="console-row-link console-url">
        {url}
      </ConsoleLink>
    ),
  },
  { title: 'Status', render: (webhook) => <StatusBadge status={stateOf(webhook)} /> },
  {
    title: 'Events',
    render: ({ event_types }) =>
      event_types.length === 0 ? (
        'all'
      ) : (
        <span title={event_types.join(', ')}>{plural(event_types.length, 'type')}</span>
      ),
  },
  {
    title: 'Problem',
    render: ({ disabled_reason, failing_since }) =>
      disabled_reason ?? (failing_since ? `failing since ${dateTime(failing_since)}` : null),
  },
  { title: 'Created', render: ({ created_at }) => <Time at={created_at} /> },
];

export function stateOf({ enabled, failing_since }: Webhook): string {
  if (!enabled) return 'disabled';
  return failing_since ? 'failing' : 'enabled';
}

export default function WebhooksPage() {
  const navigate = useNavigate();
  const [isAdding, setAdding] = useState(false);
  const [created, setCreated] = useState<CreatedWebhook>();
  const list = useList<Webhook>('/api/v1/webhooks', 'webhooks', queryKeys.webhookList());
  const add = (
    <Button look="primary" icon={Plus} onClick={() => setAdding(true)}>
      New webhook
    </Button>
  );
  return (
    <ConsolePage title="Webhooks" lead="Endpoints that receive events." actions={add}>
      <ListView
        label="Webhooks"
        list={list}
        columns={COLUMNS}
        rowKey={({ id }) => id}
        skeletonRows={3}
        empty={
          <EmptyState icon={WebhookIcon} title="No webhooks yet" actions={add}>
            Nexus sends events to the address of a webhook, such as when an item is ready or a job has failed.
          </EmptyState>
        }
      />
      {isAdding && <WebhookDialog onClose={() => setAdding(false)} onCreated={setCreated} />}
      {created && (
        <SecretDialog
          title="Webhook created"
          noun="secret"
          secret={created.secret}
          hint="Use it in your endpoint to verify that requests come from Nexus, for example with a Standard Webhooks library."
          onClose={() => {
            setCreated(undefined);
            void navigate({ to: `/console/webhooks/${created.id}` as string });
          }}
        />
      )}
    </ConsolePage>
  );
}
