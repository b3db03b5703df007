import type { LeasedJob } from '../claim/claim.ts';

interface Attempted {
  job: LeasedJob;
  runtimeMs: number;
}

interface Failed extends Attempted {
  errorText: string;
  errorCode: string | null;
}

/** How an attempt ended, and what becomes of the job. */
export type Outcome =
  | (Attempted & { kind: 'succeeded'; result: string | null })
  /** The job is over. The attempt itself failed, or was interrupted once too often. */
  | (Failed & { kind: 'failed'; isInterrupted?: boolean })
  /** Cancelled while it ran. */
  | (Failed & { kind: 'cancelled' })
  /** Failed, with attempts left. */
  | (Failed & { kind: 'retry'; delayMs: number })
  /** Cut short by Nexus's own trouble: refunded, and counted as an interruption. */
  | (Failed & { kind: 'interrupted'; delayMs: number })
  /** Handed back at shutdown: refunded. */
  | (Failed & { kind: 'stopped' })
  /** Never begun: as if it had not been claimed. */
  | { kind: 'released'; job: LeasedJob };
