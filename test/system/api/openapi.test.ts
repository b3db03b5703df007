import { expect, test } from 'vitest';
import { useApp } from '../../support/app.ts';
import { useDatabase } from '../../support/database.ts';

const app = useApp(useDatabase());

/** Routes of the web app, which the document leaves out. */
const isPage = ({ url }: { url: string }) => url === '/app' || url === '/app/*';

test('the reference page is rendered once, not for every request', async () => {
  const { server } = app.shell;
  const { swagger } = server;
  let rendered = 0;
  server.swagger = ((...options: []) => {
    rendered += 1;
    return swagger(...options);
  }) as typeof swagger;
  try {
    const pages = [
      await app.call('GET', '/docs'),
      await app.call('GET', '/docs'),
      await app.call('GET', '/docs'),
    ];
    expect(new Set(pages.map(({ body }) => body)).size).toBe(1);
    expect(rendered).toBeLessThanOrEqual(1);
  } finally {
    server.swagger = swagger;
  }
});

test('the document lists exactly the registered routes', async () => {
  const { body } = await app.call('GET', '/openapi.json');
  const documented = Object.entries<object>(body.paths).flatMap(([path, operations]) =>
    Object.keys(operations).map((method) => `${method.toUpperCase()} ${path}`),
  );
  // Every GET answers HEAD, too; the document does not repeat it.
  const registered = app.routes
    .filter((route) => route.method !== 'HEAD' && !isPage(route))
    .map(({ method, url }) => `${method} ${url.replace(/:(\w+)/g, '{$1}')}`);
  expect(documented.sort()).toEqual(registered.sort());
});

test('it is OpenAPI 3.1, and lists for each route who may call it and its errors', async () => {
  const { body } = await app.call('GET', '/openapi.json');
  expect(body.openapi).toBe('3.1.0');
  const create = body.paths['/api/v1/users'].post;
  expect(create).toMatchObject({
    'x-minimum-role': 'admin',
    security: [{ apiKey: [] }, { bearer: [] }, { session: [] }],
  });
  expect(Object.keys(create.responses)).toEqual(['201', '400', '401', '403', '409', '421', '429', '500']);
  expect(create.responses['409'].description).toBe('E_USERNAME_TAKEN, E_USERNAME_RESERVED');
  expect(create.requestBody.content['application/json'].schema.required).toEqual(['username']);
  expect(body.paths['/healthz'].get.security).toBeUndefined();
  expect(
    body.paths['/api/v1/auth/whoami'].get.responses['200'].content['application/json'].schema.required,
  ).toContain('default_library_id');
});

test('every operation has a summary and a tag', async () => {
  const { body } = await app.call('GET', '/openapi.json');
  for (const operations of Object.values<object>(body.paths)) {
    for (const operation of Object.values(operations)) {
      expect(operation.summary).toMatch(/\w/);
      expect(operation.tags).toHaveLength(1);
    }
  }
});

test('the reference page shows every route without script', async () => {
  const { status, headers, body } = await app.call('GET', '/docs');
  expect(status).toBe(200);
  expect(headers.get('content-type')).toContain('text/html');
  expect(body).not.toContain('<script');
  for (const { url } of app.routes.filter((route) => !isPage(route)))
    expect(body).toContain(`<code>${url.replace(/:(\w+)/g, '{$1}')}</code>`);
});

test('an answer that is not JSON is described by its content type', async () => {
  const { body } = await app.call('GET', '/openapi.json');
  const typesOf = (path: string, status = '200') =>
    Object.keys(body.paths[path].get.responses[status].content);
  expect(typesOf('/media/{id}/file', '206')).toEqual(['application/pdf', 'application/epub+zip']);
  expect(typesOf('/api/v1/events/stream')).toEqual(['text/event-stream']);
  expect(typesOf('/libraries/{id}/export')).toEqual(['application/json', 'text/html']);
  const { content } = body.paths['/libraries/{id}/export'].get.responses['200'];
  expect(content['application/json'].schema.type).toBe('object');
});

test('every reference in the document resolves', async () => {
  const { body } = await app.call('GET', '/openapi.json');
  const references = [...JSON.stringify(body).matchAll(/"\$ref":"([^"]+)"/g)].map(
    ([, reference = '']) => reference,
  );
  expect(references.length).toBeGreaterThan(100);
  for (const reference of new Set(references)) {
    expect(reference).toMatch(/^#\//);
    const target = reference
      .slice(2)
      .split('/')
      .reduce((object, key) => object?.[key], body);
    expect(target, reference).toBeDefined();
  }
});

test('every operation describes its parameters and answers as OpenAPI asks', async () => {
  const { body } = await app.call('GET', '/openapi.json');
  for (const [path, operations] of Object.entries<object>(body.paths)) {
    for (const [method, operation] of Object.entries(operations)) {
      const named = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name);
      const parameters: { in: string; name: string; required?: boolean; schema: object }[] =
        operation.parameters ?? [];
      const inPath = parameters.filter((parameter) => parameter.in === 'path');
      expect(inPath.map(({ name }) => name).sort(), path).toEqual(named.sort());
      expect(inPath.every(({ required }) => required)).toBe(true);
      const keys = parameters.map((parameter) => `${parameter.in} ${parameter.name}`);
      expect(new Set(keys).size).toBe(keys.length);
      const answers = Object.entries<{ description?: string }>(operation.responses);
      expect(
        answers.some(([status]) => /^[23]/.test(status)),
        `${method} ${path}`,
      ).toBe(true);
      for (const [, { description }] of answers) expect(description).toMatch(/\w/);
    }
  }
});
