import type { HttpServer } from '../../http/http-server.ts';
import { registerBackfillRoutes } from './backfill-routes.ts';
import { registerInvitationRoutes } from './invitation-routes.ts';
import { registerLibraryMediaRoutes } from './library-media-routes.ts';
import { registerLibraryRoutes } from './library-routes.ts';
import { registerMemberRoutes } from './member-routes.ts';
import type { LibraryServices } from './service.ts';

export function registerLibrariesRoutes(server: HttpServer, services: LibraryServices): void {
  registerLibraryRoutes(server, services.libraries);
  registerLibraryMediaRoutes(server, services.libraryMedia);
  registerMemberRoutes(server, services);
  registerInvitationRoutes(server, services.invitations);
  registerBackfillRoutes(server, services.backfill);
}
