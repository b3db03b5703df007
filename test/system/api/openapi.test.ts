import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { generateClient, generateTypes, lintWithRedocly, lintWithSpectral } from 'api-tools';
import { beforeAll, describe, expect, test } from 'vitest';
import { EVENT_TYPES } from '../../../src/contract/events.ts';
import { JOB_PAYLOADS } from '../../../src/contract/job-payloads.ts';
import { NO_EXAMPLE } from '../../../src/http/openapi/examples.ts';
import type { OpenApiDocument, Operation } from '../../../src/http/openapi/types.ts';
import { createPerson, DEV_KEYS, useApp } from '../../support/app.ts';
import { useDatabase } from '../../support/database.ts';
import { makePage } from '../../support/fixtures/pages.ts';
import { startSite } from '../../support/internet.ts';
import { newDirectory } from '../../support/workspace.ts';

const site = await startSite((_request, response) =>
  response.setHeader('content-type', 'text/html').end(makePage({ title: 'Tides' })),
);
const database = useDatabase();
const app = useApp(database, { NEXUS_EGRESS_ALLOW: site.host });

let document: OpenApiDocument;
let operations: { path: string; method: string; operation: Operation }[];

beforeAll(async () => {
  document = (await app.call('GET', '/api/v1/openapi.json')).body;
  operations = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method, operation })),
  );
});

/** Pages of the web app, which the document leaves out. */
const isPage = ({ url }: { url: string }) => ['/', '/app', '/app/*'].includes(url);

describe('the document', () => {
  test('lists exactly the registered routes, and their former paths as deprecated', () => {
    // Every GET answers HEAD, too; the document does not repeat it.
    const registered = app.routes
      .filter((route) => route.method !== 'HEAD' && !isPage(route))
      .map(({ method, url }) => `${method} ${url.replace(/:(\w+)/g, '{$1}')}`);
    const current = operations.filter(({ path }) => !isAlias(path));
    expect(current.map(nameOf).sort()).toEqual(registered.sort());
    const former = operations.filter(({ path }) => isAlias(path));
    expect(former.map((entry) => nameOf({ ...entry, path: `/api/v1${entry.path}` })).sort()).toEqual(
      registered.filter((name) => /\/api\/v1\/(media|libraries|internal|openapi)\b/.test(name)).sort(),
    );
    expect(former.every(({ operation }) => operation.deprecated)).toBe(true);
  });

  test('leaves nothing else at the root', () => {
    const atRoot = operations.map(({ path }) => path).filter((path) => !path.startsWith('/api/v1/'));
    const first = new Set(atRoot.map((path) => path.split('/')[1]));
    expect([...first].sort()).toEqual(
      [
        'app',
        'docs',
        'healthz',
        'internal',
        'libraries',
        'media',
        'metrics',
        'openapi.json',
        'readyz',
      ].sort(),
    );
  });

  test('says for each route who may call it, and its errors', () => {
    expect(document.openapi).toBe('3.1.0');
    const create = document.paths['/api/v1/users']?.post as Operation;
    expect(create).toMatchObject({
      'x-minimum-role': 'admin',
      security: [{ apiKey: [] }, { bearer: [] }, { session: [] }],
    });
    const statuses = ['201', '400', '401', '403', '409', '421', '429', '500', '503'];
    expect(Object.keys(create.responses)).toEqual(statuses);
    expect(create.responses['409']).toMatchObject({
      description: 'E_USERNAME_TAKEN, E_USERNAME_RESERVED, E_IDEMPOTENCY_CONFLICT',
    });
    expect(document.components.schemas.CreateUser?.required).toEqual(['username']);
    expect(document.paths['/healthz']?.get?.security).toEqual([]);
  });

  test('names, describes and groups every operation, parameter and answer', () => {
    const names = operations.map(({ operation }) => operation.operationId);
    expect(new Set(names).size).toBe(names.length);
    const tags = document.tags.map(({ name }) => name);
    for (const { path, method, operation } of operations) {
      const at = `${method} ${path}`;
      expect(operation.operationId, at).toMatch(/^[a-z][A-Za-z]+$/);
      expect(operation.summary, at).toMatch(/\w/);
      expect(operation.description, at).toMatch(/\.$/);
      expect(tags, at).toContain(operation.tags[0]);
      const named = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name);
      const parameters = operation.parameters ?? [];
      const inPath = parameters.filter((parameter) => parameter.in === 'path');
      expect(inPath.map(({ name }) => name).sort(), at).toEqual(named.sort());
      expect(inPath.every(({ required }) => required)).toBe(true);
      for (const { name, description, example } of parameters) {
        expect(description, `${at} ${name}`).toMatch(/\.$/);
        expect(example, `${at} ${name}`).toBeDefined();
      }
      const answers = Object.entries(operation.responses);
      expect(
        answers.some(([status]) => /^[23]/.test(status)),
        at,
      ).toBe(true);
      for (const [, answer] of answers) expect(answer.description, at).toMatch(/\w/);
    }
  });

  test('describes an answer that is not JSON by its content type', () => {
    const typesOf = (path: string, status = '200') => {
      const answer = document.paths[path]?.get?.responses[status];
      return Object.keys((answer && 'content' in answer && answer.content) || {});
    };
    expect(typesOf('/api/v1/media/{id}/file', '206')).toEqual(['application/pdf', 'application/epub+zip']);
    expect(typesOf('/api/v1/events/stream')).toEqual(['text/event-stream']);
    expect(typesOf('/api/v1/media/{id}/export')).toEqual(['text/markdown']);
    expect(typesOf('/api/v1/libraries/{id}/export')).toEqual([
      'application/json',
      'text/html',
      'application/zip',
      'text/csv',
      'application/ld+json',
    ]);
  });

  test('says which answers have an ETag, and can be 304', () => {
    const statuses = (path: string) => Object.keys(document.paths[path]?.get?.responses ?? {});
    for (const path of ['/api/v1/media', '/api/v1/media/{id}/file', '/api/v1/openapi.json', '/docs'])
      expect(statuses(path), path).toContain('304');
    for (const path of ['/api/v1/events/stream', '/api/v1/media/{id}/export'])
      expect(statuses(path), path).not.toContain('304');
  });

  test('has an example for every JSON body, which is valid', () => {
    const ajv = new Ajv2020({ strict: false });
    addFormats.default(ajv);
    ajv.addFormat('binary', true).addSchema({ $id: 'document', components: document.components });
    let checked = 0;
    // Most errors have the same schema, and compiling one is what takes the time.
    const validators = new Map<string, ValidateFunction>();
    const validatorOf = (schema: object) => {
      const text = JSON.stringify(schema).replaceAll('"#/', '"document#/');
      const validate = validators.get(text) ?? ajv.compile(JSON.parse(text));
      validators.set(text, validate);
      return validate;
    };
    const check = (content: Record<string, { schema: object; example?: unknown }>, at: string) => {
      const { schema, example } =
        content['application/json'] ?? content['application/cloudevents+json'] ?? {};
      if (!schema) return;
      const validate = validatorOf(schema);
      expect(validate(example), `${at}: ${ajv.errorsText(validate.errors)}`).toBe(true);
      checked += 1;
    };
    const received = Object.entries(document.webhooks).map(([path, { post }]) => ({
      path,
      method: 'webhook',
      operation: post as Operation,
    }));
    for (const { path, method, operation } of [...operations, ...received]) {
      if (operation.requestBody) check(operation.requestBody.content, `${method} ${path}`);
      for (const [status, answer] of Object.entries(operation.responses))
        if ('content' in answer && answer.content) check(answer.content, `${method} ${path} ${status}`);
    }
    expect(checked).toBeGreaterThan(200);
    const text = JSON.stringify(document);
    const missing = text.indexOf(`"${NO_EXAMPLE}"`);
    expect(missing < 0 ? '' : text.slice(Math.max(missing - 300, 0), missing + 60)).toBe('');
  });

  test('describes every event as a webhook', () => {
    expect(Object.keys(document.webhooks).sort()).toEqual([...EVENT_TYPES].sort());
    expect(document.components.schemas.MediaReadyEvent?.properties).toMatchObject({
      type: { const: 'media.ready' },
      data: { properties: { media_id: { format: 'uuid' } } },
    });
  });

  test('describes the payload of every job type that can be submitted', () => {
    const submittable = [...app.queue.types.values()].filter(({ submittedBy }) => submittedBy !== undefined);
    expect(Object.keys(JOB_PAYLOADS).sort()).toEqual(submittable.map(({ type }) => type).sort());
    for (const { type, payload } of submittable)
      expect(JOB_PAYLOADS[type as keyof typeof JOB_PAYLOADS]).toBe(payload);
    expect(document.components.schemas.JobSubmission).toMatchObject({
      discriminator: {
        propertyName: 'job_type',
        mapping: { analyze: '#/components/schemas/AnalyzeSubmission' },
      },
    });
  });

  test('has an ETag, and is not sent again to whoever has it', async () => {
    const { headers } = await app.call('GET', '/openapi.json');
    const again = { headers: { 'if-none-match': headers.get('etag') ?? '' } };
    expect(await app.call('GET', '/api/v1/openapi.json', again)).toMatchObject({ status: 304, body: '' });
  });
});

describe('other programs', { tags: 'slow' }, () => {
  test('Redocly finds no error', async () => {
    const problems = await lintWithRedocly(document);
    expect(problems.filter(({ severity }) => severity === 'error')).toEqual([]);
    // `/libraries/invites` is a path of the source documents.
    expect(problems.filter(({ problem }) => !problem.startsWith('no-ambiguous-paths'))).toEqual([]);
  });

  test('Spectral finds no error', async () => {
    const problems = await lintWithSpectral(document);
    expect(problems.filter(({ severity }) => severity === 'error')).toEqual([]);
    expect(problems.filter(({ problem }) => !problem.startsWith('info-contact'))).toEqual([]);
  });

  test('openapi-typescript generates types', async () => {
    const types = await generateTypes(document);
    expect(types).toContain('getMedia: {');
    expect(types).toContain('MediaWithOutline: {');
  });

  test('the client that @hey-api/openapi-ts generates saves, reads, shares and searches', async () => {
    const friend = await createPerson(app);
    const directory = await newDirectory('client');
    await generateClient(document, directory);
    const api = await import(`${directory}/sdk.gen.ts`);
    const { client } = await import(`${directory}/client.gen.ts`);
    client.setConfig({ baseUrl: app.url, auth: () => DEV_KEYS.researcher });

    const me = await api.getMe({ throwOnError: true });
    expect(me.data.data.username).toBe('dev-researcher');
    const library = await api.createLibrary({ body: { name: 'Oceans' }, throwOnError: true });
    const { id } = library.data.data;
    const saved = await api.saveMedia({
      body: { url: `${site.url}/tides`, library_id: id },
      headers: { 'Idempotency-Key': 'one-save' },
      throwOnError: true,
    });
    const { media_id } = saved.data.data;
    const worker = await app.engine.work({
      concurrency: 2,
      pollSeconds: 0.1,
      graceSeconds: 5,
      untilEmpty: true,
    });
    await worker.stopped;
    await worker.stop();
    const read = await api.getMedia({ path: { id: media_id }, throwOnError: true });
    expect(read.data.data).toMatchObject({ title: 'Tides', processing_status: 'ready' });
    const found = await api.searchMedia({ query: { q: 'tides' }, throwOnError: true });
    expect(found.data.data[0].media.id).toBe(media_id);
    await api.createInvitation({
      path: { id },
      body: { invitee_username: friend.user.username },
      throwOnError: true,
    });
    const asFriend = { auth: () => friend.key };
    const invitations = await api.listMyInvitations({ ...asFriend, throwOnError: true });
    await api.acceptInvitation({
      ...asFriend,
      path: { id: invitations.data.data[0].id },
      throwOnError: true,
    });
    const shared = await api.listLibraryMedia({ ...asFriend, path: { id }, throwOnError: true });
    expect(shared.data).toMatchObject({ data: [{ id: media_id }], page: { has_more: false } });
    const refused = await api.deleteLibrary({ ...asFriend, path: { id } });
    expect(refused.error.error.code).toBe('E_OWNER_REQUIRED');
  });
});

describe('the reference page', () => {
  test('shows every route without script', async () => {
    const { status, headers, body } = await app.call('GET', '/docs');
    expect(status).toBe(200);
    expect(headers.get('content-type')).toContain('text/html');
    expect(body).not.toContain('<script');
    for (const { url } of app.routes.filter((route) => !isPage(route)))
      expect(body).toContain(`<code>${url.replace(/:(\w+)/g, '{$1}')}</code>`);
    for (const { name } of document.tags) expect(body).toContain(`<h2>${name}</h2>`);
  });

  test('is not sent again to whoever has it', async () => {
    const { headers } = await app.call('GET', '/docs');
    const again = { headers: { 'if-none-match': headers.get('etag') ?? '' } };
    expect(await app.call('GET', '/docs', again)).toMatchObject({ status: 304, body: '' });
  });
});

function isAlias(path: string): boolean {
  return /^\/(media|libraries|internal|openapi\.json)\b/.test(path);
}

function nameOf({ path, method }: { path: string; method: string }): string {
  return `${method.toUpperCase()} ${path}`;
}
