import { hash, verify } from '@node-rs/argon2';
import { normalForm } from '../../contract/normal-form.ts';

/** What OWASP asks of argon2id at least, which is what the library makes; 20 to 40 ms on a thread of its own. */
const COST = { memoryCost: 19_456, timeCost: 2, parallelism: 1 };

export function hashPassword(password: string): Promise<string> {
  return hash(normalForm(password), COST);
}

let nobodysHash: Promise<string> | undefined;

/** Takes as long for somebody who does not exist, or has no password, as for somebody who does. */
export async function isPassword(password: string, passwordHash: string | null): Promise<boolean> {
  nobodysHash ??= hashPassword('nobody has this password');
  const matches = await verify(passwordHash ?? (await nobodysHash), normalForm(password));
  return matches && passwordHash !== null;
}
