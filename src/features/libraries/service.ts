import type { Database } from '../../platform/database/database.ts';
import type { Backfill } from './backfill.ts';
import { createInvitations, type InvitationsDependencies } from './invitations.ts';
import { createLibraries } from './libraries.ts';
import { createLibraryMedia } from './library-media.ts';
import { createMembers } from './members.ts';
import { createRemovalPreview } from './removal-preview.ts';

export type LibraryServices = ReturnType<typeof createLibraryServices>;

export interface LibraryDependencies {
  sql: Database;
  users: InvitationsDependencies['users'];
  backfill: Backfill;
}

export function createLibraryServices({ sql, users, backfill }: LibraryDependencies) {
  return {
    libraries: createLibraries({ sql }),
    libraryMedia: createLibraryMedia({ sql }),
    members: createMembers({ sql }),
    previewRemoval: createRemovalPreview({ sql }),
    invitations: createInvitations({ sql, users, backfill }),
    backfill,
  };
}
