import { useState } from 'react';
import { api } from '../../api/client.ts';
import { EVENT_DESCRIPTIONS, EVENT_TYPES } from '../../api/events.ts';
import { queryKeys } from '../../api/query-keys.ts';
import { FormDialog } from '../../ui/dialog.tsx';
import { TextField } from '../../ui/field.tsx';
import { useAction } from '../../ui/use-action.ts';
import type { CreatedWebhook, Webhook } from '../types.ts';

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
        ? api.patch<Webhook>(`/api/v1/webhooks/${webhook.id}`, body)
        : api.post<CreatedWebhook>('/api/v1/webhooks', body),
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
    <fieldset className="console-choice">
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
