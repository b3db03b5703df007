import type { LibraryRole } from '../api/types.ts';

export const ROLE_OPTIONS: { value: LibraryRole; label: string }[] = [
  { value: 'member', label: 'Member, reads' },
  { value: 'admin', label: 'Admin, adds and invites' },
];
