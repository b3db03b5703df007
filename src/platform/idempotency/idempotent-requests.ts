import { createCipheriv, createDecipheriv, createHash, hkdfSync, randomBytes } from 'node:crypto';
import { NexusError } from '../../contract/errors.ts';
import type { Database, Queryable, Transaction } from '../database/database.ts';

/** A request that must be carried out once, however often it is sent. */
export interface IdempotentRequest {
  userId: string;
  /** Chosen by the caller. Only its hash is stored. */
  key: string;
  /** Tells requests with the same key apart: a hash of method, path and body. */
  requestHash: Buffer;
}

export interface StoredAnswer {
  status: number;
  headers: Record<string, string>;
  body: string;
  /** The credential that got the answer; null for one without an API key. */
  apiKeyId: string | null;
  /** The role that the caller had. */
  role: string;
}

export type IdempotentRequests = ReturnType<typeof createIdempotentRequests>;

/** An earlier request with the same key has committed while this one was at work. */
class AlreadyCarriedOut extends Error {
  constructor() {
    super('A request with the same idempotency key has been carried out.');
    this.name = 'AlreadyCarriedOut';
  }
}

/**
 * Remembers which requests were carried out, and their answers. The claim of a key commits together with what the request
 * does, so that a crash cannot part the two: a request that is sent again is carried out if and only if the first one was
 * not. An answer that a crash has lost cannot be given again, and the caller is told so.
 */
export function createIdempotentRequests({ sql }: { sql: Database }) {
  return {
    /** Finds an earlier request with this key. Its answer is undefined while it is not stored. Refuses another request. */
    async find({ userId, key, requestHash }: IdempotentRequest) {
      const [row] = await sql<{ request_hash: Buffer; answer: Buffer | null }[]>`
        select request_hash, answer
        from idempotent_requests
        where user_id = ${userId} and key_hash = ${hash(key)}`;
      if (!row) return undefined;
      if (!row.request_hash.equals(requestHash)) {
        throw new NexusError(
          'E_IDEMPOTENCY_CONFLICT',
          'This Idempotency-Key was already used for a different request. Use a new key.',
        );
      }
      return { answer: row.answer === null ? undefined : decrypt(row.answer, key, userId) };
    },

    /**
     * Claims the key in the transaction of the request. Waits for another request that has claimed it and not ended. Returns
     * when it was claimed, which tells this claim from that of another request.
     */
    async claim(tx: Transaction, request: IdempotentRequest): Promise<string> {
      const { userId, key, requestHash } = request;
      const [claimed] = await tx<{ claimed_at: string }[]>`
        insert into idempotent_requests (user_id, key_hash, request_hash)
        values (${userId}, ${hash(key)}, ${requestHash})
        on conflict do nothing
        returning extract(epoch from created_at)::text as claimed_at`;
      if (!claimed) throw new AlreadyCarriedOut();
      return claimed.claimed_at;
    },

    /** Stores the answer to a request. Does nothing if its claim was rolled back, also when another request has claimed the key. */
    async storeAnswer(
      { userId, key }: Omit<IdempotentRequest, 'requestHash'>,
      { claimedAt, ...answer }: StoredAnswer & { claimedAt: string },
    ): Promise<void> {
      await sql`
        update idempotent_requests
        set answer = ${encrypt(answer, key, userId)}
        where user_id = ${userId} and key_hash = ${hash(key)} and extract(epoch from created_at)::text = ${claimedAt}`;
    },

    /** Notes a request that is done, whatever its answer. */
    async note({ userId, key, requestHash }: IdempotentRequest): Promise<void> {
      await sql`
        insert into idempotent_requests (user_id, key_hash, request_hash)
        values (${userId}, ${hash(key)}, ${requestHash})
        on conflict do nothing`;
    },
  };
}

/** Deletes requests that are older than a day. */
export async function deleteOldRequests(sql: Queryable): Promise<number> {
  const deleted = await sql`delete from idempotent_requests where created_at < now() - interval '1 day'`;
  return deleted.count;
}

function hash(key: string): Buffer {
  return createHash('sha256').update(key).digest();
}

const ALGORITHM = 'aes-256-gcm';
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/** An answer may contain a new API key or a webhook's secret. Without the caller's key, the database cannot reveal it. */
function encrypt(answer: StoredAnswer, key: string, userId: string): Buffer {
  const nonce = randomBytes(NONCE_BYTES);
  const cipher = createCipheriv(ALGORITHM, derive(key, userId), nonce);
  const sealed = Buffer.concat([cipher.update(JSON.stringify(answer)), cipher.final()]);
  return Buffer.concat([nonce, cipher.getAuthTag(), sealed]);
}

function decrypt(stored: Buffer, key: string, userId: string): StoredAnswer {
  const nonce = stored.subarray(0, NONCE_BYTES);
  const decipher = createDecipheriv(ALGORITHM, derive(key, userId), nonce);
  decipher.setAuthTag(stored.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES));
  const opened = Buffer.concat([decipher.update(stored.subarray(NONCE_BYTES + TAG_BYTES)), decipher.final()]);
  return JSON.parse(opened.toString('utf8'));
}

function derive(key: string, userId: string): Buffer {
  return Buffer.from(hkdfSync('sha256', key, userId, 'nexus idempotent answer', 32));
}
