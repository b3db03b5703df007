import { NexusError } from '../../contract/errors.ts';
import type { Database } from '../../platform/database/database.ts';
import { fillBucket, takeTokens } from '../../platform/rate-limit/bucket.ts';

/** Ten at once, then two a minute: enough for anybody who mistypes, and 3,000 guesses a day at most. */
const BY_PERSON = { capacity: 10, perSecond: 1 / 30 };
/** An office behind one address signs in on Monday morning; somebody who tries many usernames does not get far. */
const BY_ADDRESS = { capacity: 100, perSecond: 1 / 3 };

/** A brake on guessing. It counts before anything is checked, so that many guesses at once are counted, too. */
export function createSignInLimit(sql: Database) {
  const ofPerson = (username: string, address: string) => `sign_in:${username.toLowerCase()}@${address}`;

  async function take(name: string, limit: typeof BY_PERSON): Promise<void> {
    const { granted, retryAfterSeconds } = await takeTokens(sql, name, limit);
    if (granted > 0) return;
    throw new NexusError('E_RATE_LIMITED', `Too many tries. Try again in ${retryAfterSeconds} seconds.`, {
      retryAfterSeconds,
    });
  }

  return {
    async count(username: string | undefined, address: string): Promise<void> {
      await take(`sign_in:${address}`, BY_ADDRESS);
      if (username !== undefined) await take(ofPerson(username, address), BY_PERSON);
    },

    /** Whoever sits down at a browser that is signed in could guess the password there, too. */
    countChange: (userId: string) => take(`password:${userId}`, BY_PERSON),

    /** Whoever has got in was not guessing. */
    forgive: (username: string, address: string) => fillBucket(sql, ofPerson(username, address)),
  };
}
