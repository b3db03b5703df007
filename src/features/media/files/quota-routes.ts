import { storageUseAnswer } from '../../../contract/storage.ts';
import { principalOf } from '../../../http/authentication.ts';
import type { HttpServer } from '../../../http/http-server.ts';
import type { Quota } from './quota.ts';

export function registerQuotaRoutes(server: HttpServer, quota: Quota): void {
  server.get(
    '/me/storage',
    {
      config: { access: 'viewer', feature: 'media' },
      schema: {
        tags: ['Identity'],
        summary: 'Get storage usage and quota',
        description:
          'Counts files, extracted text and images charged to the caller, including items in the trash.',
        response: { 200: storageUseAnswer },
      },
    },
    async (request) => ({ data: await quota.use(principalOf(request).user_id) }),
  );
}
