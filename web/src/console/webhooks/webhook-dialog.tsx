import { useState } from 'react';
import { api } from '../../api/client.ts';
import { sentenceOf } from '../../api/error.ts';
import { TextField } from '../../ui/field.tsx';
import { FormDialog } from '../../ui/form-dialog.tsx';
import type { CreatedWebhook, Webhook } from '../types.ts';
import { useDeed } from '../use-deed.ts';
import { EventChoice } from './event-choice.tsx';

export interface WebhookDialogProps {
  /** The one to change; without it, a new one is made. */
  webhook?: Webhook;
  onClose: () => void;
  onCreated?: (created: CreatedWebhook) => void;
}

export function WebhookDialog({ webhook, onClose, onCreated }: WebhookDialogProps) {
  const [url, setUrl] = useState(webhook?.url ?? 'https://');
  const [eventTypes, setEventTypes] = useState<string[]>(webhook?.event_types ?? []);
  const save = useDeed<{ url: string; event_types: string[] }, Webhook>({
    run: (body) =>
      webhook
        ? api.patch<Webhook>(`/api/v1/webhooks/${webhook.id}`, body)
        : api.post<CreatedWebhook>('/api/v1/webhooks', body),
    stale: [['webhooks']],
    quiet: true,
    onDone: (saved) => {
      onClose();
      if ('secret' in saved) onCreated?.(saved as CreatedWebhook);
    },
  });
  return (
    <FormDialog
      size="wide"
      title={webhook ? 'Change the webhook' : 'New webhook'}
      lead="Nexus posts each event to this address as signed JSON, and keeps trying for days when it is down."
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
        hint="An address in the intranet has to be allowed with NEXUS_EGRESS_ALLOW."
        error={save.error ? sentenceOf(save.error) : undefined}
      />
      <EventChoice value={eventTypes} onChange={setEventTypes} />
    </FormDialog>
  );
}
