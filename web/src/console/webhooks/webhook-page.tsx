import { useQuery } from '@tanstack/react-query';
import { useNavigate, useParams } from '@tanstack/react-router';
import { KeyRound, Pencil, Power, PowerOff, Send, Trash2 } from 'lucide-react';
import { useState } from 'react';
import { api } from '../../api/client.ts';
import { Badge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { ErrorState } from '../../ui/error-state.tsx';
import { SkeletonText } from '../../ui/skeleton.tsx';
import { ConfirmDialog } from '../confirm-dialog.tsx';
import { ConsoleLink } from '../console-link.tsx';
import { ConsolePage } from '../console-page.tsx';
import { dateTime } from '../format.ts';
import { webhookQuery } from '../queries.ts';
import { SecretOnce } from '../secret-once.tsx';
import { StatusBadge } from '../status-badge.tsx';
import { Time } from '../time.tsx';
import type { RotatedSecret, Webhook } from '../types.ts';
import { useDeed } from '../use-deed.ts';
import { Deliveries } from './deliveries.tsx';
import { WebhookDialog } from './webhook-dialog.tsx';
import { stateOf } from './webhooks-page.tsx';

const WEBHOOKS = <ConsoleLink to="webhooks">Webhooks</ConsoleLink>;
const STALE = [['webhooks'], ['outbox']];

export default function WebhookPage() {
  const { webhookId = '' } = useParams({ strict: false }) as { webhookId?: string };
  const webhook = useQuery(webhookQuery(webhookId));
  if (!webhook.data) {
    return (
      <ConsolePage title="Webhook" above={WEBHOOKS}>
        {webhook.error ? (
          <ErrorState error={webhook.error} onRetry={() => void webhook.refetch()} />
        ) : (
          <SkeletonText lines={8} />
        )}
      </ConsolePage>
    );
  }
  return <Loaded webhook={webhook.data} />;
}

type Asked = 'edit' | 'rotate' | 'delete';

function Loaded({ webhook }: { webhook: Webhook }) {
  const navigate = useNavigate();
  const [asked, setAsked] = useState<Asked>();
  const [rotated, setRotated] = useState<RotatedSecret>();
  const path = `/api/v1/webhooks/${webhook.id}`;
  const close = () => setAsked(undefined);
  const test = useDeed({
    run: () => api.post(`${path}/test`),
    stale: STALE,
    said: () => 'A test event is on its way. What comes of it appears in the log below.',
  });
  const enable = useDeed<boolean>({ run: (enabled) => api.patch(path, { enabled }), stale: STALE });
  const rotate = useDeed<void, RotatedSecret>({
    run: () => api.post(`${path}/rotate-secret`, {}),
    stale: STALE,
    onDone: (secret) => {
      close();
      setRotated(secret);
    },
  });
  const remove = useDeed({
    run: () => api.delete(path),
    stale: [['webhooks', 'list'], ['outbox']],
    said: () => 'The webhook is deleted, and its log with it.',
    onDone: () => void navigate({ to: '/console/webhooks' as string }),
  });
  return (
    <ConsolePage
      title={new URL(webhook.url).host}
      above={WEBHOOKS}
      lead={
        <span className="row">
          <StatusBadge status={stateOf(webhook)} />
          <code className="mono console-url">{webhook.url}</code>
        </span>
      }
      actions={
        <>
          <Button icon={Pencil} onClick={() => setAsked('edit')}>
            Change
          </Button>
          <Button icon={KeyRound} onClick={() => setAsked('rotate')}>
            Rotate secret
          </Button>
          {webhook.enabled && (
            <Button icon={PowerOff} busy={enable.isPending} onClick={() => enable.mutate(false)}>
              Disable
            </Button>
          )}
          <Button look="danger" icon={Trash2} onClick={() => setAsked('delete')}>
            Delete
          </Button>
          {webhook.enabled && (
            <Button look="primary" icon={Send} busy={test.isPending} onClick={() => test.mutate()}>
              Send a test
            </Button>
          )}
        </>
      }
    >
      <Trouble webhook={webhook} busy={enable.isPending} onEnable={() => enable.mutate(true)} />
      <p className="row">
        <span className="muted">Told of</span>
        {webhook.event_types.length === 0 && <Badge>everything</Badge>}
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
          action="Make a new secret"
          busy={rotate.isPending}
          onConfirm={() => rotate.mutate()}
          onClose={close}
        >
          <p>
            For the next 24 hours messages are signed with the old and the new secret, so that the endpoint
            can change over without missing any.
          </p>
        </ConfirmDialog>
      )}
      {asked === 'delete' && (
        <ConfirmDialog
          title="Delete the webhook?"
          action="Delete it"
          danger
          busy={remove.isPending}
          onConfirm={() => remove.mutate()}
          onClose={close}
        >
          <p>
            The endpoint is told nothing more, and the log of its deliveries is deleted. This cannot be
            undone; to stop it for a while, disable it instead.
          </p>
        </ConfirmDialog>
      )}
      {rotated && (
        <SecretOnce
          title="The new secret"
          what="secret"
          secret={rotated.secret}
          hint={`The old one signs beside it until ${dateTime(rotated.previous_valid_until)}.`}
          onClose={() => setRotated(undefined)}
        />
      )}
    </ConsolePage>
  );
}

interface TroubleProps {
  webhook: Webhook;
  busy: boolean;
  onEnable: () => void;
}

function Trouble({ webhook, busy, onEnable }: TroubleProps) {
  if (!webhook.enabled) {
    return (
      <section className="console-notice console-notice-danger" aria-label="Why it is disabled">
        <div className="grow">
          <b>
            Disabled <Time at={webhook.disabled_at} />
          </b>
          <p>
            {webhook.disabled_reason} What happens meanwhile is not sent; what failed can be replayed below.
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
    <section className="console-notice" aria-label="Trouble">
      <p>
        Nothing but failures came back since <Time at={webhook.failing_since} />. After five days of that, it
        is disabled.
      </p>
    </section>
  );
}
