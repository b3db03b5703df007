import { Badge, type BadgeTone } from '../ui/badge.tsx';

/** The colours of all statuses. */
const TONES: Record<string, BadgeTone> = {
  queued: 'plain',
  running: 'accent',
  retry_wait: 'amber',
  succeeded: 'accent',
  failed: 'danger',
  cancelled: 'plain',
  interrupted: 'amber',
  pending: 'amber',
  delivered: 'accent',
  completed: 'accent',
  enabled: 'accent',
  disabled: 'danger',
  failing: 'amber',
};

const LABELS: Record<string, string> = { retry_wait: 'waiting to retry' };

export const statusLabel = (status: string) => LABELS[status] ?? status;

export function StatusBadge({ status }: { status: string }) {
  return <Badge tone={TONES[status] ?? 'plain'}>{statusLabel(status)}</Badge>;
}
