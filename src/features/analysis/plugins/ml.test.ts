import type { IncomingMessage, ServerResponse } from 'node:http';
import { text as readAll } from 'node:stream/consumers';
import { beforeEach, describe, expect, test } from 'vitest';
import { startSite } from '../../../../test/support/internet.ts';
import { silentLog } from '../../../../test/support/jobs.ts';
import { createEgress } from '../../../platform/egress/egress.ts';
import { joinFragments } from '../text.ts';
import { createMlPlugin } from './ml.ts';
import type { LayerRequest } from './registry.ts';
import { createPluginRegistry, deterministicPlugin } from './registry.ts';

type Respond = (response: ServerResponse, request: IncomingMessage) => void;
let respond: Respond;
let health: Respond;
let bodies: string[] = [];
/** Each test has its own address: a request that one gave up on may arrive during the next. */
let turn = 0;
const site = await startSite(async (request, response) => {
  if (request.url?.endsWith('/models')) return health(response, request);
  const body = await readAll(request);
  if (request.url?.startsWith(`/${turn}/`)) bodies.push(body);
  respond(response, request);
});

const say =
  (content: unknown): Respond =>
  (response) =>
    response
      .writeHead(200, { 'content-type': 'application/json' })
      .end(JSON.stringify({ choices: [{ message: { role: 'assistant', content } }] }));
const status =
  (code: number, headers = {}): Respond =>
  (response) =>
    response.writeHead(code, headers).end('{}');
const answer = (confidence: number, findings: unknown[] = []) =>
  say(JSON.stringify({ summary: 'A lamp burns.', findings, confidence }));

beforeEach(() => {
  turn += 1;
  respond = answer(0.9);
  health = status(200);
  bodies = [];
});

const excerpt = joinFragments([
  { idx: 0, canonical_text: 'The sea was calm.' },
  { idx: 1, canonical_text: 'The lamp burned all night.' },
]);
const request = (confidence = 0.6): LayerRequest => ({
  layer: 'semiotic',
  modality: 'text',
  excerpt,
  baseline: {
    output: { summary: 'the rules', measures: { emoji: 0 }, findings: [] },
    confidence,
  },
});

const plugin = (options = {}) =>
  createMlPlugin({
    url: `${site.url}/${turn}/v1/`,
    model: 'small-model',
    apiKey: 'secret-key',
    timeoutMs: 2000,
    egress: createEgress({ allow: ['127.0.0.0/8'] }),
    retryDelaysMs: [1, 1],
    ...options,
  });
const run = (options = {}, wanted = request()) =>
  createPluginRegistry([plugin(options), deterministicPlugin], silentLog)
    .chain('ml_first')
    .execute(wanted, new AbortController().signal);

test('sends an OpenAI-compatible request with the text, the key and a schema', async () => {
  await run();
  const asked = site.requests.at(-1);
  expect(asked).toMatchObject({ method: 'POST', url: `/${turn}/v1/chat/completions` });
  expect(asked?.headers.authorization).toBe('Bearer secret-key');
  const body = JSON.parse(bodies[0] ?? '');
  expect(body).toMatchObject({
    model: 'small-model',
    temperature: 0,
    response_format: { type: 'json_schema' },
  });
  expect(body.response_format.json_schema.schema.required).toEqual(['summary', 'findings', 'confidence']);
  expect(body.messages[1].content).toContain('The lamp burned all night.');
});

test('locates quotes in their fragment, and drops made-up ones', async () => {
  respond = answer(0.9, [
    { kind: 'symbol', label: 'lamp', quote: 'lamp burned' },
    { kind: 'symbol', label: 'dragon', quote: 'the dragon slept' },
  ]);
  expect(await run()).toMatchObject({
    provider_name: 'ml',
    provider_version: 'small-model',
    fallback_reason: null,
    output: {
      summary: 'A lamp burns.',
      measures: { emoji: 0 },
      findings: [
        { kind: 'symbol', label: 'lamp', count: 1, spans: [{ fragment_idx: 1, start: 4, end: 15 }] },
      ],
    },
  });
});

test.each([
  [0.6, 1, 0.7],
  [0.6, 0.65, 0.65],
  [0.6, 0.2, 0.2],
  [0.9, 1, 0.95],
  [0.05, 1, 0.15],
])('a confidence of %d of the rules and %d of the model gives %d', async (rules, claimed, confidence) => {
  respond = answer(claimed);
  expect((await run({}, request(rules))).confidence).toBe(confidence);
});

describe('falls back to the rules', () => {
  test.each([
    ['prose', say('The text is about a lamp.')],
    ['JSON of another shape', say('{"mood":"good"}')],
    ['an unknown field', say('{"summary":"x","findings":[],"confidence":0.5,"also":1}')],
    ['a confidence beyond 1', answer(7)],
    ['quotes that are not in the text', answer(0.9, [{ kind: 'a', label: 'b', quote: 'never written' }])],
    ['no content', say(null)],
    ['a page', ((response) => response.writeHead(200).end('<html>')) as Respond],
    ['an empty list', ((response) => response.writeHead(200).end('{"choices":[]}')) as Respond],
  ])('when it answers with %s, without a retry', async (_what, how) => {
    respond = how;
    expect(await run()).toMatchObject({
      provider_name: 'deterministic',
      fallback_reason: 'plugin_invalid_answer',
    });
    expect(bodies).toHaveLength(1);
  });

  test('when it hangs', async () => {
    respond = () => undefined;
    const limits = { timeoutMs: 50, retryDelaysMs: [] };
    expect(await run(limits)).toMatchObject({
      provider_name: 'deterministic',
      fallback_reason: 'plugin_timeout',
    });
  });

  test('when it refuses, without a retry', async () => {
    respond = status(400);
    expect(await run()).toMatchObject({ fallback_reason: 'plugin_failed' });
    expect(bodies).toHaveLength(1);
  });

  test('when its key is refused, without sending the text', async () => {
    health = status(401);
    expect(await run()).toMatchObject({ fallback_reason: 'plugin_unhealthy' });
    expect(bodies).toHaveLength(0);
  });

  test('when the connection is refused', async () => {
    expect(await run({ url: 'http://127.0.0.1:9/v1' })).toMatchObject({
      fallback_reason: 'plugin_unhealthy',
    });
  });

  test('when egress does not allow the endpoint', async () => {
    const before = site.connections;
    expect(await run({ egress: createEgress() })).toMatchObject({ fallback_reason: 'plugin_unhealthy' });
    expect(site.connections).toBe(before);
  });
});

test('transient errors are retried, three attempts at most', async () => {
  let times = 0;
  respond = (response, asked) => {
    times += 1;
    (times < 3 ? status(times === 1 ? 503 : 429, { 'retry-after': '0' }) : answer(0.9))(response, asked);
  };
  expect(await run()).toMatchObject({ provider_name: 'ml', fallback_reason: null });
  respond = status(503);
  bodies = [];
  expect(await run()).toMatchObject({ provider_name: 'deterministic', fallback_reason: 'plugin_failed' });
  expect(bodies).toHaveLength(3);
});
