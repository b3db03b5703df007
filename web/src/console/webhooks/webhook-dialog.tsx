import { useState } from 'react';
import { api } from '../../api/client.ts';
import { errorMessage } from '../../api/error.ts';
import { queryKeys } from '../../api/query-keys.ts';
import { TextField } from '../../ui/field.tsx';
import { FormDialog } from '../../ui/form-dialog.tsx';
import type { CreatedWebhook, Webhook } from '../types.ts';
import { useAction } from '../use-action.ts';
import { EventChoice } from './event-choice.tsx';

export interface WebhookDialogProps {
  /** The webhook to edit; without it, a new one is created. */
  webhook?: Webhook;
  onClose: () => void;
  onCreated?: (created: CreatedWebhook) => void;
}

export function WebhookDialog({ webhook, onClose, onCreated }: WebhookDialogProps) {
  const [url, setUrl] = useState(webhook?.url ?? 'https://');
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
      onSubmit={() => save.mutate({ url: url.trim(), event_types: eventTypes })}
      onClose={onClose}
    >
      <TextField
        label="Address"
        type="url"
        required
        value={url}
        onChange={(event) => setUrl(event.target.value)}
        hint="Addresses in a private network must be allowed in the configuration of Nexus."
        error={save.error ? errorMessage(save.error) : undefined}
      />
      <EventChoice value={eventTypes} onChange={setEventTypes} />
    </FormDialog>
  );
}
