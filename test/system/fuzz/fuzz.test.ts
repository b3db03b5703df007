/**
 * Sends thousands of requests that are made from the OpenAPI document.
 *
 * @module-tag slow
 */
import { type IncomingMessage, request as send } from 'node:http';
import fc from 'fast-check';
import { beforeAll, expect, test } from 'vitest';
import type { Role } from '../../../src/contract/roles.ts';
import { createPerson, DEV_KEYS, useApp } from '../../support/app.ts';
import { useDatabase } from '../../support/database.ts';
import { createLibrary, createReader, type Reader } from '../../support/libraries.ts';
import { saveReady } from '../../support/saved-media.ts';
import { type FuzzedRequest, type Operation, operationsOf, requestsTo } from './requests.ts';
import type { Schema, Special } from './values.ts';

/** `FUZZ_SEED` repeats a run, `FUZZ_REQUESTS` makes a longer one. */
const SEED = Number(process.env.FUZZ_SEED ?? Math.floor(Math.random() * 2 ** 31));
const REQUESTS = Number(process.env.FUZZ_REQUESTS ?? 1000);
const LANES = 6;
const SLOW_MS = 3000;
/** A word in all private data of the victim. */
const CANARY = 'canary-51c9';

const database = useDatabase();
const app = useApp(database, {
  NEXUS_REQUESTS_PER_MINUTE: '1000000,1000000,1000000,1000000',
});

type Caller = Role | 'stranger';
const CALLERS: Caller[] = ['stranger', 'viewer', 'operator', 'researcher', 'admin'];
const keys: Partial<Record<Caller, string>> = {};
/** Ids of existing things, by kind. People and keys that requests may disable are not those that send them. */
type Things = Record<string, string[]>;
const KINDS = ['media', 'library', 'user', 'key', 'job', 'branch', 'event', 'run'];
const everything: Things = Object.fromEntries(KINDS.map((kind) => [kind, []]));
const own: Partial<Record<Caller, Things>> = {};
let victim: Reader;

beforeAll(async () => {
  for (const role of CALLERS) {
    if (role === 'stranger') continue;
    const person = await createPerson(app, { role, raw: role === 'researcher' || role === 'admin' });
    keys[role] = person.key;
    own[role] = await furnish(asReader(person), `own ${role}`);
  }
  victim = await createReader(app);
  await furnish(victim, CANARY);
  // People and keys that requests may disable.
  for (let n = 0; n < 3; n++) {
    const { user, apiKey } = await createPerson(app, { role: 'viewer' });
    everything.user?.push(user.id);
    everything.key?.push(apiKey.id);
  }
  const events = await database.sql<{ id: string }[]>`select id from outbox_event`;
  everything.event = events.map(({ id }) => id);
  expect(KINDS.filter((kind) => everything[kind]?.length === 0)).toEqual([]);
});

function asReader({ user, key, apiKey }: Awaited<ReturnType<typeof createPerson>>): Reader {
  const call = (method: string) => (path: string, body?: unknown) => app.call(method, path, { key, body });
  return {
    user,
    key,
    apiKey,
    id: user.id,
    defaultLibraryId: user.default_library_id,
    get: call('GET'),
    post: call('POST'),
    patch: call('PATCH'),
    delete: call('DELETE'),
  };
}

/** A library, a document with text and, where the role allows it, a branch, a run and a job. */
async function furnish(person: Reader, mark: string): Promise<Things> {
  const library = await createLibrary(person, mark);
  const media = await saveReady(database.sql, person, {
    title: mark,
    author: mark,
    texts: [`${mark} and text.`],
  });
  await person.post(`/libraries/${library}/media`, { media_id: media });
  const position = { note: mark };
  await app.call('PUT', `/media/${media}/reading`, { key: person.key, body: { progress: 0.5, position } });
  const branch = await person.post('/api/v1/branches', { media_id: media, name: mark });
  const run = await person.post('/api/v1/analyze', { media_id: media });
  const job = await person.post('/api/v1/jobs/submit', {
    job_type: 'ingest_batch',
    payload: { urls: [`http://192.0.2.1/${encodeURIComponent(mark)}`] },
  });
  const given = (id: unknown) => (typeof id === 'string' ? [id] : []);
  const things = {
    library: [library, person.defaultLibraryId],
    media: [media],
    branch: given(branch.body.data?.id),
    run: given(run.body.data?.analysis_run_id),
    job: given(job.body.job_id),
  };
  for (const [kind, ids] of Object.entries(things)) everything[kind]?.push(...ids);
  return things;
}

/** Which kind of thing an id in this field of this path names. */
function kindOf(field: string, path: string): string | undefined {
  const named = KINDS.find((kind) => new RegExp(`(^|_)${kind}_ids?$`).test(field));
  if (named || field !== 'id') return named ?? (field === 'document_id' ? 'media' : undefined);
  const places: [string, string][] = [
    ['/branches', 'branch'],
    ['/libraries', 'library'],
    ['/media', 'media'],
    ['/users', 'user'],
    ['/api-keys', 'key'],
    ['/runs', 'run'],
    ['/events', 'event'],
  ];
  return places.find(([place]) => path.includes(place))?.[1];
}

/** Addresses that lead nowhere, so that no request leaves this machine. */
const URLS = [
  'http://127.0.0.1:9/',
  'http://10.0.0.1/x',
  'http://[::1]/',
  'ftp://192.0.2.1/',
  'http://user:pw@192.0.2.1/',
  'http://',
  'javascript:alert(1)',
  `http://192.0.2.1/${'a'.repeat(2100)}`,
];

const specialFor =
  (path: string, caller: Caller): Special =>
  (field: string, { format, const: only }: Schema) => {
    const kind = kindOf(field, path) ?? '';
    const [mine, all] = [own[caller]?.[kind] ?? [], everything[kind] ?? []];
    if (format === 'uuid' && all.length > 0) {
      return fc.oneof(
        { weight: 3, arbitrary: fc.constantFrom(...(mine.length > 0 ? mine : all)) },
        { weight: 2, arbitrary: fc.constantFrom(...all) },
        { weight: 1, arbitrary: fc.uuid() },
      );
    }
    if (field === 'url' || field === 'urls') return fc.constantFrom(...URLS);
    if (field === 'job_type' && only === undefined) {
      return fc.constantFrom('ingest_batch', 'analyze', 'branch_replay', 'integrity_audit', 'nope');
    }
    if (field === 'username') return fc.integer({ min: 1, max: 1e9 }).map((n) => `fuzzed-${n}`);
    return undefined;
  };

interface Outcome {
  status: number;
  text: string;
  ms: number;
}

async function perform(
  { method, path, headers, body }: FuzzedRequest,
  key: string | undefined,
): Promise<Outcome> {
  const began = performance.now();
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    const request = send(app.url + path, {
      method,
      headers: { ...(key && { 'x-nexus-api-key': key }), ...headers },
    });
    request.on('response', resolve).on('error', reject).end(body);
  });
  const isStream = response.headers['content-type']?.startsWith('text/event-stream');
  let text = '';
  if (isStream) response.destroy();
  else for await (const chunk of response.setEncoding('utf8')) text += chunk;
  return { status: response.statusCode ?? 0, text, ms: performance.now() - began };
}

function faultOf({ status, text, ms }: Outcome, caller: Caller): string | undefined {
  if (status >= 500) return `answers ${status}: ${text.slice(0, 200)}`;
  if (ms > SLOW_MS) return `takes ${Math.round(ms)} ms`;
  if (caller !== 'admin' && text.includes(CANARY))
    return `shows another person's data: ${text.slice(0, 200)}`;
  if (status >= 400 && !/"code":"E_[A-Z_]+"/.test(text))
    return `answers ${status} without a code: ${text.slice(0, 200)}`;
  return undefined;
}

test(`every operation withstands ${REQUESTS} requests (seed ${SEED})`, async () => {
  const operations = operationsOf((await app.call('GET', '/openapi.json')).body);
  expect(operations.length).toBeGreaterThan(80);
  // A body can be wrong in more ways than a URL.
  const weightOf = ({ body }: Operation) => (body ? 3 : 1);
  const share = REQUESTS / operations.reduce((sum, operation) => sum + weightOf(operation), 0);
  const work = operations.flatMap((operation, index) => {
    const arbitrary = fc.constantFrom(...CALLERS).chain((caller) => {
      const requests = requestsTo(operation, specialFor(operation.path, caller));
      return requests.map((request) => ({ request, caller }));
    });
    return fc.sample(arbitrary, { numRuns: Math.ceil(share * weightOf(operation)), seed: SEED + index });
  });
  const counts: Record<string, number> = {};
  const faults: string[] = [];
  const lane = async () => {
    for (let next = work.pop(); next; next = work.pop()) {
      const { request, caller } = next;
      let outcome = await perform(request, keys[caller]);
      // A busy machine may pause for seconds, so a slow request is repeated before it counts.
      if (outcome.ms > SLOW_MS && outcome.status < 500) outcome = await perform(request, keys[caller]);
      counts[outcome.status] = (counts[outcome.status] ?? 0) + 1;
      const fault = faultOf(outcome, caller);
      if (fault) {
        const body = request.body?.toString('latin1').slice(0, 300) ?? '';
        faults.push(`${request.method} ${request.path.slice(0, 300)} as ${caller} ${fault}\n  ${body}`);
      }
    }
  };
  await Promise.all(Array.from({ length: LANES }, lane));
  expect(faults, `seed ${SEED}`).toEqual([]);
  // A run in which all requests are refused tests nothing.
  expect(counts['200'], JSON.stringify(counts)).toBeGreaterThan(REQUESTS / 20);
  expect(counts['400'], JSON.stringify(counts)).toBeGreaterThan(REQUESTS / 20);
});

test('the data of the victim is unchanged', async () => {
  const { body } = await victim.get('/libraries');
  expect(body.data.map(({ name }: { name: string }) => name)).toContain(CANARY);
  const found = await victim.get(`/api/v1/search?q=${CANARY}`);
  expect(found.body.data).toHaveLength(1);
  expect((await app.call('GET', '/healthz', { key: DEV_KEYS.viewer })).status).toBe(200);
});
