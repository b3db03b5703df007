import type { Role } from '../../api/types.ts';

/** What each role may do beyond the one before. The type keeps the list whole. */
export const ROLE_MEANINGS: Record<Role, string> = {
  viewer: 'uses the library',
  operator: 'and looks after jobs, workers and the outbox',
  researcher: 'and may see text as it is',
  admin: 'and manages people, keys and webhooks',
};

export const ROLE_OPTIONS = (Object.keys(ROLE_MEANINGS) as Role[]).map((value) => ({ value, label: value }));
