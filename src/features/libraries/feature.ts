import type { Feature, Platform } from '../feature.ts';
import type { Users } from '../identity/users.ts';
import { createBackfill } from './closure/backfill.ts';
import { registerBackfillRoutes } from './closure/backfill-routes.ts';
import { measureBackfill, periodicBacklogCheck } from './closure/backlog.ts';
import { createClosureCheck } from './closure/closure-audit.ts';
import { createDefaultLibraryCheck } from './default-library-check.ts';
import { createDefaultLibrary, createLibraries } from './libraries.ts';
import { createLibraryMedia } from './library-media.ts';
import { registerLibraryRoutes } from './library-routes.ts';
import { registerLibraryTagRoutes } from './library-tag-routes.ts';
import { createLibraryTags } from './library-tags.ts';
import { registerInvitationRoutes } from './sharing/invitation-routes.ts';
import { createInvitations, revokeInvitations } from './sharing/invitations.ts';
import { registerMemberRoutes } from './sharing/member-routes.ts';
import { type CountHighlights, createMembers } from './sharing/members.ts';
import { listLibraryNames } from './store.ts';

/** Called by identity, which knows no libraries, when it creates or disables a user. */
export const userHooks = { createDefaultLibrary, revokeInvitations };

interface LibrariesFeatureDependencies extends Pick<Platform, 'sql'> {
  users: Users;
  countHighlights: CountHighlights;
}

export function createLibrariesFeature({ sql, users, countHighlights }: LibrariesFeatureDependencies) {
  const backfill = createBackfill({ sql });
  const services = {
    libraries: createLibraries({ sql }),
    libraryMedia: createLibraryMedia({ sql }),
    libraryTags: createLibraryTags({ sql }),
    members: createMembers({ sql, countHighlights }),
    invitations: createInvitations({ sql, users, backfill }),
    backfill,
  };
  return {
    name: 'libraries',
    services,
    routes(api) {
      registerLibraryRoutes(api, services);
      registerLibraryTagRoutes(api, services.libraryTags);
      registerMemberRoutes(api, services.members);
      registerInvitationRoutes(api, services.invitations);
      registerBackfillRoutes(api, backfill);
    },
    jobTypes: [backfill.type],
    periodic: [periodicBacklogCheck(backfill)],
    checks: [createDefaultLibraryCheck(sql), createClosureCheck(sql)],
    metrics: [measureBackfill(backfill)],
    names: ({ user_id }, ids) => listLibraryNames(sql, user_id, ids),
  } satisfies Feature;
}
