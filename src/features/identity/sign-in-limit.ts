import { NexusError } from '../../contract/errors.ts';
import type { Database } from '../../platform/database/database.ts';
import { networkOf } from '../../platform/ip-address.ts';
import { fillBucket, type Limit, returnTokens, takeTokens } from '../../platform/rate-limit/bucket.ts';

/** Ten at once, then two per minute: enough for typing errors, and at most 3,000 guesses per day. */
const BY_PERSON_AND_NETWORK = { capacity: 10, perSecond: 1 / 30 };
/**
 * A hundred at once, then three per minute, over all networks. It refills faster than one network may try, so that a
 * single attacker cannot lock a person out.
 */
const BY_PERSON = { capacity: 100, perSecond: 1 / 20 };
/** Enough for an office behind one address, and too little to try many usernames. */
const BY_NETWORK = { capacity: 100, perSecond: 1 / 3 };

/** Limits password guessing. It counts before the password is checked, so that parallel guesses count, too. */
export function createSignInLimit(sql: Database) {
  const ofPerson = (username: string) => `sign_in_of:${username.toLowerCase()}`;
  const ofPersonAndNetwork = (username: string, address: string) =>
    `sign_in:${username.toLowerCase()}@${networkOf(address)}`;

  async function take(name: string, limit: Limit): Promise<void> {
    const { granted, retryAfterSeconds } = await takeTokens(sql, name, limit);
    if (granted > 0) return;
    throw new NexusError('E_RATE_LIMITED', `Too many attempts. Try again in ${retryAfterSeconds} seconds.`, {
      retryAfterSeconds,
    });
  }

  return {
    /** Counts an attempt. The limit per person is last, so that attempts that the others refuse do not count there. */
    async count(username: string, address: string): Promise<void> {
      await take(`sign_in:${networkOf(address)}`, BY_NETWORK);
      await take(ofPersonAndNetwork(username, address), BY_PERSON_AND_NETWORK);
      await take(ofPerson(username), BY_PERSON);
    },

    /** Counts an attempt to change the password, because a person at a signed-in browser could guess it there, too. */
    countChange: (userId: string) => take(`password:${userId}`, BY_PERSON_AND_NETWORK),

    /** Resets the limit of this person and network after a successful sign-in, and returns one attempt of the person. */
    async reset(username: string, address: string): Promise<void> {
      await fillBucket(sql, ofPersonAndNetwork(username, address));
      await returnTokens(sql, ofPerson(username), BY_PERSON);
    },
  };
}
