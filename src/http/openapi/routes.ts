import { z } from 'zod';
import type { RegisteredRoute } from '../access.ts';
import type { HttpServer } from '../http-server.ts';
import { routeOptions } from '../route-options.ts';
import { createDocument } from './document.ts';
import { renderReference } from './reference-page.ts';
import type { OpenApiDocument } from './types.ts';

const forEveryone = routeOptions({ access: 'public', tags: ['Reference'] });

interface OpenApiOptions {
  routes: RegisteredRoute[];
  publicUrl: string | undefined;
  sessionCookieName: string;
}

interface OpenApi {
  /** The document. It is made once, because routes do not change after the server starts. */
  document(): OpenApiDocument;
}

export function createOpenApi({ routes, ...options }: OpenApiOptions): OpenApi {
  let document: OpenApiDocument | undefined;
  return {
    document() {
      document ??= createDocument(routes, options);
      return document;
    },
  };
}

export function registerDocumentRoute(api: HttpServer, openApi: OpenApi): void {
  let json: string | undefined;
  api.get(
    '/openapi.json',
    forEveryone({
      operationId: 'getOpenApiDocument',
      summary: 'OpenAPI document',
      description: 'The OpenAPI 3.1 document of this API.',
      response: { 200: z.looseObject({ openapi: z.string() }) },
    }),
    async (_request, reply) => {
      json ??= JSON.stringify(openApi.document());
      return reply
        .type('application/json; charset=utf-8')
        .header('cache-control', 'no-cache')
        .serializer((text: string) => text)
        .send(json as never);
    },
  );
}

export function registerReferencePage(server: HttpServer, openApi: OpenApi): void {
  let page: ReturnType<typeof renderReference> | undefined;
  server.get(
    '/docs',
    forEveryone({
      operationId: 'getReference',
      summary: 'Reference',
      description: 'This page: the API reference for people.',
      contentTypes: { 200: ['text/html'] },
      requestHeaders: ['If-None-Match'],
      response: { 200: z.string() },
    }),
    async (_request, reply) => {
      page ??= renderReference(openApi.document());
      const { html, styleHash } = page;
      return reply
        .header('cache-control', 'no-cache')
        .header(
          'content-security-policy',
          `default-src 'none'; style-src '${styleHash}'; frame-ancestors 'none'`,
        )
        .type('text/html; charset=utf-8')
        .serializer((text: string) => text)
        .send(html);
    },
  );
}
