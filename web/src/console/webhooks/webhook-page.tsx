import { useQuery } from '@tanstack/react-query';
import { useNavigate, useParams } from '@tanstack/react-router';
import { KeyRound, Pencil, Power, PowerOff, Send, Trash2 } from 'lucide-react';
import { useState } from 'react';
import { api } from '../../api/client.ts';
import { queryKeys } from '../../api/queries.ts';
import { Button } from '../../ui/button.tsx';
import { exactTime } from '../../ui/dates.ts';
import { ConfirmDialog } from '../../ui/dialog.tsx';
import { SecretDialog } from '../../ui/secret-dialog.tsx';
import { Badge } from '../../ui/states.tsx';
import { useAction } from '../../ui/use-action.ts';
import { ConsolePage, PendingPage } from '../console-page.tsx';
import { webhookQuery } from '../queries.ts';
import type { RotatedSecret, Webhook } from '../types.ts';
import { StatusBadge, Time } from '../values.tsx';
import { Deliveries } from './deliveries.tsx';
import { stateOf, WebhookDialog } from './webhooks-page.tsx';

const STALE = [queryKeys.webhooks(), queryKeys.outbox()];

export default function WebhookPage() {
  const { webhookId = '' } = useParams({ strict: false }) as { webhookId?: string };
  const webhook = useQuery(webhookQuery(webhookId));
  if (!webhook.data) return <PendingPage title="Webhook" above="webhooks" query={webhook} />;
  return <Loaded webhook={webhook.data} />;
}

function Loaded({ webhook }: { webhook: Webhook }) {
  const navigate = useNavigate();
  const [asked, setAsked] = useState<'edit' | 'rotate' | 'delete'>();
  const [rotated, setRotated] = useState<RotatedSecret>();
  const path = `/webhooks/${webhook.id}`;
  const close = () => setAsked(undefined);
  const test = useAction({
    run: () => api.post(`${path}/test`),
    stale: STALE,
    message: () => 'Test event sent. Its delivery appears below.',
  });
  const enable = useAction<boolean>({ run: (is_enabled) => api.patch(path, { is_enabled }), stale: STALE });
  const rotate = useAction<void, RotatedSecret>({
    run: () => api.postData(`${path}/rotate-secret`, {}),
    stale: STALE,
    onDone: (secret) => {
      close();
      setRotated(secret);
    },
  });
  const remove = useAction({
    run: () => api.delete(path),
    stale: [queryKeys.webhookList(), queryKeys.outbox()],
    message: () => 'Webhook deleted.',
    onDone: () => void navigate({ to: '/console/webhooks' as string }),
  });
  return (
    <ConsolePage
      title={new URL(webhook.url).host}
      above="webhooks"
      lead={
        <span className="row">
          <StatusBadge status={stateOf(webhook)} />
          <code className="mono console-url">{webhook.url}</code>
        </span>
      }
      actions={
        <>
          <Button icon={Pencil} onClick={() => setAsked('edit')}>
            Edit
          </Button>
          <Button icon={KeyRound} onClick={() => setAsked('rotate')}>
            Rotate secret
          </Button>
          {webhook.is_enabled && (
            <Button icon={PowerOff} busy={enable.isPending} onClick={() => enable.mutate(false)}>
              Disable
            </Button>
          )}
          <Button look="danger" icon={Trash2} onClick={() => setAsked('delete')}>
            Delete
          </Button>
          {webhook.is_enabled && (
            <Button look="primary" icon={Send} busy={test.isPending} onClick={() => test.mutate()}>
              Send test
            </Button>
          )}
        </>
      }
    >
      <Problem webhook={webhook} busy={enable.isPending} onEnable={() => enable.mutate(true)} />
      <p className="row">
        <span className="muted">Events</span>
        {webhook.event_types.length === 0 && <Badge>all</Badge>}
        {webhook.event_types.map((type) => (
          <Badge key={type}>{type}</Badge>
        ))}
      </p>
      <section className="section">
        <h2 className="section-title">Deliveries</h2>
        <Deliveries webhook={webhook} />
      </section>
      {asked === 'edit' && <WebhookDialog webhook={webhook} onClose={close} />}
      {asked === 'rotate' && (
        <ConfirmDialog
          title="Rotate the secret?"
          action="Rotate secret"
          busy={rotate.isPending}
          onConfirm={() => rotate.mutate()}
          onClose={close}
        >
          <p>
            For 24 hours, requests are signed with both the old and the new secret, so that you can update the
            endpoint without downtime.
          </p>
        </ConfirmDialog>
      )}
      {asked === 'delete' && (
        <ConfirmDialog
          title="Delete the webhook?"
          action="Delete"
          danger
          busy={remove.isPending}
          onConfirm={() => remove.mutate()}
          onClose={close}
        >
          <p>
            The endpoint gets no more events, and its delivery log is deleted. This cannot be undone. To stop
            deliveries for a while, disable the webhook instead.
          </p>
        </ConfirmDialog>
      )}
      {rotated && (
        <SecretDialog
          title="New secret"
          noun="secret"
          secret={rotated.secret}
          hint={`The old secret stays valid until ${exactTime(rotated.previous_valid_until)}.`}
          onClose={() => setRotated(undefined)}
        />
      )}
    </ConsolePage>
  );
}

interface ProblemProps {
  webhook: Webhook;
  busy: boolean;
  onEnable: () => void;
}

function Problem({ webhook, busy, onEnable }: ProblemProps) {
  if (!webhook.is_enabled) {
    return (
      <section className="console-notice console-notice-danger" aria-label="Disabled">
        <div className="grow">
          <b>
            Disabled <Time at={webhook.disabled_at} />
          </b>
          <p>
            {webhook.disabled_reason} Events are not sent while it is disabled. Enable it to retry failed
            deliveries.
          </p>
        </div>
        <Button icon={Power} busy={busy} onClick={onEnable}>
          Enable
        </Button>
      </section>
    );
  }
  if (!webhook.failing_since) return null;
  return (
    <section className="console-notice" aria-label="Failing">
      <p>
        All deliveries have failed since {exactTime(webhook.failing_since)}. After five days of failures, the
        webhook is disabled.
      </p>
    </section>
  );
}
