import { Badge, type BadgeTone } from '../ui/badge.tsx';

/** Every state that the console shows, and how much it asks to be looked at. */
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

const WORDS: Record<string, string> = { retry_wait: 'waits to retry' };

export const statusWord = (status: string) => WORDS[status] ?? status;

export function StatusBadge({ status }: { status: string }) {
  return <Badge tone={TONES[status] ?? 'plain'}>{statusWord(status)}</Badge>;
}
