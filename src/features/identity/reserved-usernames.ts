import { NexusError } from '../../contract/errors.ts';
import { BOOTSTRAP_ROLES, bootstrapUsername } from './well-known-keys.ts';

/** People that bootstrap makes, and actors that the audit log names although they are nobody. */
const RESERVED = [...BOOTSTRAP_ROLES.map(bootstrapUsername), 'system', 'cli', 'internal', 'unknown'];

/** Characters that usernames may contain and that are easily taken for others. */
const LOOK_ALIKES: [RegExp, string][] = [
  [/[._@+-]/g, ''],
  [/[1i]/g, 'l'],
  [/0/g, 'o'],
  [/3/g, 'e'],
  [/4/g, 'a'],
  [/5/g, 's'],
  [/7/g, 't'],
  [/rn/g, 'm'],
  [/vv/g, 'w'],
];

const reserved = new Set(RESERVED.map(skeleton));

/** Throws for a username that belongs to Nexus, or looks like one that does: `Dev_Admin`, `syst3m`. */
export function refuseReservedUsername(username: string): void {
  if (!reserved.has(skeleton(username))) return;
  throw new NexusError(
    'E_USERNAME_RESERVED',
    `The username ${username} is reserved for Nexus, or looks like one that is. Choose another.`,
  );
}

/** Two usernames with the same skeleton look alike. */
function skeleton(username: string): string {
  return LOOK_ALIKES.reduce(
    (text, [pattern, letter]) => text.replace(pattern, letter),
    username.toLowerCase(),
  );
}
