import { NexusError } from '../../contract/errors.ts';
import type { Database } from '../../platform/database/database.ts';
import { networkOf } from '../../platform/ip-address.ts';
import { fillBucket, type Limit, returnTokens, takeTokens } from '../../platform/rate-limit/bucket.ts';

/** Ten at once, then two a minute: enough for anybody who mistypes, and 3,000 guesses a day at most. */
const BY_PERSON_AND_NETWORK = { capacity: 10, perSecond: 1 / 30 };
/**
 * A hundred at once, then three a minute, from all networks together. It fills faster than one network may try, so that a
 * single stranger cannot keep somebody from signing in.
 */
const BY_PERSON = { capacity: 100, perSecond: 1 / 20 };
/** An office behind one address signs in on Monday morning; somebody who tries many usernames does not get far. */
const BY_NETWORK = { capacity: 100, perSecond: 1 / 3 };

/** A brake on guessing passwords. It counts before anything is checked, so that many guesses at once are counted, too. */
export function createSignInLimit(sql: Database) {
  const ofPerson = (username: string) => `sign_in_of:${username.toLowerCase()}`;
  const ofPersonAndNetwork = (username: string, address: string) =>
    `sign_in:${username.toLowerCase()}@${networkOf(address)}`;

  async function take(name: string, limit: Limit): Promise<void> {
    const { granted, retryAfterSeconds } = await takeTokens(sql, name, limit);
    if (granted > 0) return;
    throw new NexusError('E_RATE_LIMITED', `Too many tries. Try again in ${retryAfterSeconds} seconds.`, {
      retryAfterSeconds,
    });
  }

  return {
    /** The widest limit comes last: what a narrower one refuses does not count against it. */
    async count(username: string, address: string): Promise<void> {
      await take(`sign_in:${networkOf(address)}`, BY_NETWORK);
      await take(ofPersonAndNetwork(username, address), BY_PERSON_AND_NETWORK);
      await take(ofPerson(username), BY_PERSON);
    },

    /** Whoever sits down at a browser that is signed in could guess the password there, too. */
    countChange: (userId: string) => take(`password:${userId}`, BY_PERSON_AND_NETWORK),

    /** Gives a try back after a successful sign-in. Tries from other networks still count. */
    async forgive(username: string, address: string): Promise<void> {
      await fillBucket(sql, ofPersonAndNetwork(username, address));
      await returnTokens(sql, ofPerson(username), BY_PERSON);
    },
  };
}
