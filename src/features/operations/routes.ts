import { auditList, auditQuery } from '../../contract/operations.ts';
import type { HttpServer } from '../../http/http-server.ts';
import { routeOptions } from '../../http/route-options.ts';
import type { Operations } from './service.ts';

const forAdmins = routeOptions({ access: 'admin', feature: 'audit', tags: ['Operations'] });

export function registerOperationsRoutes(server: HttpServer, operations: Operations): void {
  server.get(
    '/api/v1/audit',
    forAdmins({
      summary: 'List the audit log',
      description: 'Actions and refused actions of all people, newest first.',
      querystring: auditQuery,
      response: { 200: auditList },
    }),
    (request) => operations.audit(request.query),
  );
}
