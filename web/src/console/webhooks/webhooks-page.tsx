import { useNavigate } from '@tanstack/react-router';
import { Plus, Webhook as WebhookIcon } from 'lucide-react';
import { useState } from 'react';
import { api } from '../../api/client.ts';
import { EVENT_DESCRIPTIONS, EVENT_TYPES } from '../../api/events.ts';
import { queryKeys } from '../../api/queries.ts';
import { Button } from '../../ui/button.tsx';
import type { Column } from '../../ui/data-table.tsx';
import { exactTime } from '../../ui/dates.ts';
import { FormDialog } from '../../ui/dialog.tsx';
import { TextField } from '../../ui/field.tsx';
import { plural } from '../../ui/numbers.ts';
import { SecretDialog } from '../../ui/secret-dialog.tsx';
import { EmptyState } from '../../ui/states.tsx';
import { useAction } from '../../ui/use-action.ts';
import { ConsolePage } from '../console-page.tsx';
import { ListView, useList } from '../list.tsx';
import type { CreatedWebhook, Webhook } from '../types.ts';
import { ConsoleLink, StatusBadge, Time } from '../values.tsx';

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
      disabled_reason ?? (failing_since ? `failing since ${exactTime(failing_since)}` : null),
  },
  { title: 'Created', render: ({ created_at }) => <Time at={created_at} /> },
];

export function stateOf({ is_enabled, failing_since }: Webhook): string {
  if (!is_enabled) return 'disabled';
  return failing_since ? 'failing' : 'enabled';
}

export default function WebhooksPage() {
  const navigate = useNavigate();
  const [isAdding, setAdding] = useState(false);
  const [created, setCreated] = useState<CreatedWebhook>();
  const list = useList<Webhook>('/webhooks', queryKeys.webhookList());
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

interface WebhookDialogProps {
  /** The webhook to edit; without it, a new one is created. */
  webhook?: Webhook;
  onClose: () => void;
  onCreated?: (created: CreatedWebhook) => void;
}

export function WebhookDialog({ webhook, onClose, onCreated }: WebhookDialogProps) {
  const [eventTypes, setEventTypes] = useState<string[]>(webhook?.event_types ?? []);
  const save = useAction<{ url: string; event_types: string[] }, Webhook>({
    run: (body) =>
      webhook
        ? api.patchData<Webhook>(`/webhooks/${webhook.id}`, body)
        : api.postData<CreatedWebhook>('/webhooks', body),
    stale: [queryKeys.webhooks()],
    quiet: true,
    onDone: (saved) => {
      onClose();
      if ('secret' in saved) onCreated?.(saved as CreatedWebhook);
    },
  });
  return (
    <FormDialog
      size="wide"
      title={webhook ? 'Edit webhook' : 'New webhook'}
      lead="Nexus sends each event to this address as signed JSON, and retries for days when it is down."
      action={webhook ? 'Save' : 'Create'}
      busy={save.isPending}
      onSubmit={(field) => save.mutate({ url: field('url').trim(), event_types: eventTypes })}
      onClose={onClose}
    >
      <TextField
        label="Address"
        name="url"
        type="url"
        required
        defaultValue={webhook?.url ?? 'https://'}
        hint="Addresses in a private network must be allowed in the configuration of Nexus."
        error={save.error}
      />
      <EventChoice value={eventTypes} onChange={setEventTypes} />
    </FormDialog>
  );
}

interface EventChoiceProps {
  /** Empty: all of them. */
  value: readonly string[];
  onChange: (value: string[]) => void;
}

function EventChoice({ value, onChange }: EventChoiceProps) {
  const toggle = (type: string) =>
    onChange(value.includes(type) ? value.filter((chosen) => chosen !== type) : [...value, type]);
  return (
    <fieldset className="choice">
      <legend className="field-label">Events</legend>
      <label className="console-choice-all">
        <input
          type="checkbox"
          className="checkbox"
          checked={value.length === 0}
          onChange={() => onChange([])}
        />
        All events, including future ones
      </label>
      <div className="console-choice-list">
        {EVENT_TYPES.map((type) => (
          <label key={type}>
            <input
              type="checkbox"
              className="checkbox"
              checked={value.includes(type)}
              onChange={() => toggle(type)}
            />
            <span>
              <code className="mono">{type}</code>
              <span className="muted small">{EVENT_DESCRIPTIONS[type]}</span>
            </span>
          </label>
        ))}
      </div>
    </fieldset>
  );
}
