import { hash, verify } from '@node-rs/argon2';
import { NexusError } from '../../contract/errors.ts';
import { normalForm } from '../../contract/normal-form.ts';
import { createGate } from '../../platform/gate.ts';

/** The least that OWASP recommends for argon2id; 20 to 40 ms on a thread of its own. */
const COST = { memoryCost: 19_456, timeCost: 2, parallelism: 1 };

/** The hash of a password that nobody has, at the same cost. */
export const NOBODYS_HASH =
  '$argon2id$v=19$m=19456,t=2,p=1$kvQP7WF7+sbALz1Rr0RJJA$KWX2k7VJOJvvHPfoeen1NDuxsM8xwYyno+2SaraDne8';

/**
 * Two at once in a process, because each takes a core and 19 MB: strangers who try passwords must not slow down everybody
 * else. Thirty more wait for less than a second.
 */
const gate = createGate({ running: 2, waiting: 30 }, () => {
  throw new NexusError('E_RATE_LIMITED', 'Too many people are signing in at once. Try again in a moment.', {
    retryAfterSeconds: 2,
  });
});

export function hashPassword(password: string): Promise<string> {
  return gate(() => hash(normalForm(password), COST));
}

/** Takes as long for somebody who does not exist, or has no password, as for somebody who does. */
export async function isPassword(password: string, passwordHash: string | null): Promise<boolean> {
  const matches = await gate(() => verify(passwordHash ?? NOBODYS_HASH, normalForm(password)));
  return matches && passwordHash !== null;
}
