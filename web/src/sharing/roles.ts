import type { LibraryRole } from '../api/types.ts';

export const ROLE_OPTIONS: { value: LibraryRole; label: string }[] = [
  { value: 'member', label: 'Member (can read)' },
  { value: 'admin', label: 'Admin (can add and invite)' },
];
