import { NexusError } from '../../contract/errors.ts';
import { type Caller, recordRepeatedAudit } from '../../platform/audit/audit.ts';
import type { Database } from '../../platform/database/database.ts';
import { networkOf } from '../../platform/ip-address.ts';
import { createAllotments } from '../../platform/rate-limit/allotments.ts';

/** Three hundred mistakes at once, then one a second: no program that is set up wrongly needs more. */
const BY_NETWORK = { capacity: 300, perSecond: 1 };
/** Entries of the audit log by all strangers together. Beyond it, networks are no longer told apart. */
const ENTRIES = { capacity: 600, perSecond: 5 };
const SEVERAL = 'several';

export interface Refusal {
  reason: string;
  /** How the credential was presented. Left out for a key on a request. */
  by?: 'sign_in' | 'refresh' | undefined;
  /** Whose it is, where that is known. */
  username?: string | undefined;
  api_key_id?: string | undefined;
}

export type Refusals = ReturnType<typeof createRefusals>;

/** Handles refused credentials: slows down their network, and writes an entry of the audit log. */
export function createRefusals({ sql }: { sql: Database }) {
  const networks = createAllotments({ sql });
  const entries = createAllotments({ sql });

  /**
   * Throws once too many credentials of the caller's network were refused. It is asked only after one was refused, so a
   * good one is never held up by others.
   */
  async function brake({ address }: Caller): Promise<void> {
    const wait = await networks.take(`refused:${networkOf(address)}`, BY_NETWORK);
    if (wait === 0) return;
    throw new NexusError(
      'E_RATE_LIMITED',
      `Too many unknown keys or tokens came from your network. Try again in ${wait} seconds.`,
      { retryAfterSeconds: wait },
    );
  }

  async function record({ reason, by, username, api_key_id }: Refusal, caller: Caller): Promise<void> {
    const mayTellApart = (await entries.take(`refusal_entries:${by ?? 'key'}`, ENTRIES)) === 0;
    const network = mayTellApart ? networkOf(caller.address) : SEVERAL;
    const details = { reason, address: mayTellApart ? caller.address : SEVERAL };
    await recordRepeatedAudit(
      sql,
      {
        action: 'auth.failed',
        actor: { name: username ?? 'unknown', requestId: caller.requestId },
        details: { ...details, ...(by && { by }), ...(api_key_id && { api_key_id }) },
      },
      [network, reason, by, api_key_id],
    );
  }

  return { brake, record };
}
