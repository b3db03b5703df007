import { hash, verify } from '@node-rs/argon2';
import { NexusError } from '../../contract/errors.ts';
import { normalForm } from '../../contract/normal-form.ts';
import { createGate } from '../../platform/gate.ts';

/** OWASP's minimum recommendation for argon2id. A hash takes 20 to 40 ms on a separate thread. */
const COST = { memoryCost: 19_456, timeCost: 2, parallelism: 1 };

/** A hash with the same cost, for users without a password. */
export const DUMMY_HASH =
  '$argon2id$v=19$m=19456,t=2,p=1$kvQP7WF7+sbALz1Rr0RJJA$KWX2k7VJOJvvHPfoeen1NDuxsM8xwYyno+2SaraDne8';

/**
 * Two hashes run in parallel per process, because each takes a core and 19 MB: password guessing must not slow down other
 * requests. Thirty more wait, for less than a second.
 */
const gate = createGate({ running: 2, waiting: 30 }, () => {
  throw new NexusError('E_RATE_LIMITED', 'Too many people are signing in right now. Try again in a moment.', {
    retryAfterSeconds: 2,
  });
});

export function hashPassword(password: string): Promise<string> {
  return gate(() => hash(normalForm(password), COST));
}

/** Checks a password. It takes the same time when there is no password, so that timing does not reveal who exists. */
export async function isPassword(password: string, passwordHash: string | null): Promise<boolean> {
  const matches = await gate(() => verify(passwordHash ?? DUMMY_HASH, normalForm(password)));
  return matches && passwordHash !== null;
}
