import type { Role } from '../../api/types.ts';

/** The additional rights of each role. The type keeps the list complete. */
export const ROLE_DESCRIPTIONS: Record<Role, string> = {
  viewer: 'uses the library',
  operator: 'also manages jobs, workers and the outbox',
  researcher: 'also sees original text',
  admin: 'also manages users, keys and webhooks',
};

export const ROLE_OPTIONS = (Object.keys(ROLE_DESCRIPTIONS) as Role[]).map((value) => ({
  value,
  label: value,
}));
