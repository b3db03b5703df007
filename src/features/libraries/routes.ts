import type { HttpServer } from '../../http/http-server.ts';
import { registerBackfillRoutes } from './closure/backfill-routes.ts';
import { registerLibraryMediaRoutes } from './library-media-routes.ts';
import { registerLibraryRoutes } from './library-routes.ts';
import type { LibraryServices } from './service.ts';
import { registerInvitationRoutes } from './sharing/invitation-routes.ts';
import { registerMemberRoutes } from './sharing/member-routes.ts';

export function registerLibrariesRoutes(server: HttpServer, services: LibraryServices): void {
  registerLibraryRoutes(server, services.libraries);
  registerLibraryMediaRoutes(server, services.libraryMedia);
  registerMemberRoutes(server, services);
  registerInvitationRoutes(server, services.invitations);
  registerBackfillRoutes(server, services.backfill);
}
