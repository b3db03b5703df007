import type { Database } from '../../platform/database/database.ts';
import type { Backfill } from './closure/backfill.ts';
import { createLibraries } from './libraries.ts';
import { createLibraryMedia } from './library-media.ts';
import { createInvitations, type InvitationsDependencies } from './sharing/invitations.ts';
import { createMembers } from './sharing/members.ts';
import { createRemovalPreview } from './sharing/removal-preview.ts';

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
