import type { Role, Scope } from '../api/types.ts';

/** The scopes beyond `read` and `write`: the access that each gives, and the role that it needs. */
export const AREAS: readonly { scope: Scope; label: string; hint: string; minimumRole: Role }[] = [
  {
    scope: 'operate',
    label: 'Operations',
    hint: 'Jobs, workers and the outbox.',
    minimumRole: 'operator',
  },
  {
    scope: 'admin',
    label: 'Administration',
    hint: 'Users, keys and webhooks.',
    minimumRole: 'admin',
  },
];

/** Describes the scopes of a key: "Read", "Read and change, administration". */
export function accessOf(scopes: readonly Scope[] | null): string {
  if (scopes === null) return 'Full access';
  const requests = !scopes.includes('write')
    ? 'Read'
    : scopes.includes('read')
      ? 'Read and change'
      : 'Change';
  const areas = AREAS.filter(({ scope }) => scopes.includes(scope)).map(({ label }) => label.toLowerCase());
  return [requests, ...areas].join(', ');
}
