import { NexusError } from '../../contract/errors.ts';
import { type Caller, recordRepeatedAudit } from '../../platform/audit/audit.ts';
import type { Database } from '../../platform/database/database.ts';
import { networkOf } from '../../platform/ip-address.ts';
import { createRateLimiter } from '../../platform/rate-limit/rate-limiter.ts';

/** 300 refusals at once, then one per second: enough for any misconfigured program. */
const BY_NETWORK = { capacity: 300, perSecond: 1 };
/** Audit entries per network, over all networks. Beyond it, entries of different networks are combined. */
const SEPARATE_ENTRIES = { capacity: 600, perSecond: 5 };
const SEVERAL_NETWORKS = 'several';

export interface Refusal {
  reason: string;
  /** How the credential was sent; undefined for a key on a request. */
  by?: 'sign_in' | 'refresh' | undefined;
  /** The owner of the credential, if known. */
  username?: string | undefined;
  api_key_id?: string | undefined;
}

export type Refusals = ReturnType<typeof createRefusals>;

/** Handles refused credentials: limits their network, and writes an audit entry. */
export function createRefusals({ sql }: { sql: Database }) {
  const networks = createRateLimiter({ sql });
  const entries = createRateLimiter({ sql });

  /** Limits the refusals of a network. Called only after a refusal, so that valid credentials are never limited. */
  async function limit({ address }: Caller): Promise<void> {
    const { wait } = await networks.take(`refused:${networkOf(address)}`, BY_NETWORK);
    if (wait === 0) return;
    throw new NexusError(
      'E_RATE_LIMITED',
      `Too many invalid keys or tokens from your network. Try again in ${wait} seconds.`,
      { retryAfterSeconds: wait },
    );
  }

  async function record({ reason, by, username, api_key_id }: Refusal, caller: Caller): Promise<void> {
    const { wait } = await entries.take(`refusal_entries:${by ?? 'key'}`, SEPARATE_ENTRIES);
    const isSeparate = wait === 0;
    const network = isSeparate ? networkOf(caller.address) : SEVERAL_NETWORKS;
    const details = { reason, address: isSeparate ? caller.address : SEVERAL_NETWORKS };
    const entry = {
      action: 'auth.failed',
      actor: { name: username ?? 'unknown', requestId: caller.requestId },
      details: { ...details, ...(by && { by }), ...(api_key_id && { api_key_id }) },
    };
    await recordRepeatedAudit(sql, entry, [network, reason, by, api_key_id]);
  }

  return { limit, record };
}
