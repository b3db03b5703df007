import { NexusError } from '../../contract/errors.ts';
import { BOOTSTRAP_ROLES, bootstrapUsername } from './well-known-keys.ts';

/** Users that bootstrap creates, and actors of the audit log that are not users. */
const RESERVED = [...BOOTSTRAP_ROLES.map(bootstrapUsername), 'system', 'cli', 'internal', 'unknown'];

/** Characters of usernames that look like others, and their replacements. */
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

/** Throws when a username is reserved, or looks like a reserved one, such as `Dev_Admin` or `syst3m`. */
export function refuseReservedUsername(username: string): void {
  if (!reserved.has(skeleton(username))) return;
  throw new NexusError(
    'E_USERNAME_RESERVED',
    `The username ${username} is reserved, or looks like a reserved one. Choose another.`,
  );
}

/** Normalises a username. Usernames with the same skeleton look alike. */
function skeleton(username: string): string {
  return LOOK_ALIKES.reduce(
    (text, [pattern, letter]) => text.replace(pattern, letter),
    username.toLowerCase(),
  );
}
