/**
 * Saves one page with a server and a worker in processes of their own, and looks at the traces and metrics of both.
 *
 * @module-tag slow
 */
import { readFile } from 'node:fs/promises';
import { beforeAll, expect, test, vi } from 'vitest';
import { parse as parseYaml } from 'yaml';
import { CLI_ACTOR } from '../../../src/cli/session.ts';
import { recordAudit } from '../../../src/platform/audit/audit.ts';
import { call, DEV_KEYS } from '../../support/call.ts';
import { useDatabase } from '../../support/database.ts';
import { makePage } from '../../support/fixtures/pages.ts';
import { startSite } from '../../support/internet.ts';
import { type NexusProcess, startNexus } from '../../support/nexus-process.ts';
import { type ReceivedSpan, startOtlpReceiver } from '../../support/otlp-receiver.ts';
import { labelsOfSeries, readsOf } from '../../support/promql.ts';
import { startReceiver } from '../../support/webhook-receiver.ts';

const TRACE_ID = '0af7651916cd43dd8448eb211c80319c';
const CALLER_ID = 'b7ad6b7169203331';
const key = DEV_KEYS.admin;

const database = useDatabase();
const site = await startSite((request, response) => {
  if (request.url?.startsWith('/wombat'))
    return void response.writeHead(302, { location: '/page?q=numbat' }).end();
  const page = makePage({ title: 'Quokka news', paragraphs: 4 });
  response.writeHead(200, { 'content-type': 'text/html' }).end(page);
});
const collector = await startOtlpReceiver();
const receiver = await startReceiver();

/** Only a leak can bring these into a trace: the page's title and address, the webhook's address, the caller's headers. */
const PRIVATE = ['Quokka', 'wombat', 'numbat', 'bilby', 'dunnart', 'lamp on the desk', key];

let server: NexusProcess;
let worker: NexusProcess;
let trace: ReceivedSpan[] = [];
/** The metrics of the server and of the worker. */
let scrapes: string[] = [];

beforeAll(async () => {
  const env = {
    NEXUS_DATABASE_URL: database.url,
    NEXUS_EGRESS_ALLOW: '127.0.0.1/32',
    NEXUS_METRICS_PORT: '0',
    OTEL_EXPORTER_OTLP_ENDPOINT: collector.site.url,
    OTEL_SERVICE_NAME: 'nexus-test',
    // Nothing is sent before the processes stop, so the spans below prove that stopping sends them.
    OTEL_BSP_SCHEDULE_DELAY: '600000',
    OTEL_BSP_MAX_EXPORT_BATCH_SIZE: '2048',
  };
  server = startNexus(['serve', '--no-worker'], { env });
  worker = startNexus(['worker'], { env });
  const url = await server.ready();
  await worker.prints(/is ready/);
  const post = (path: string, body: object, headers = {}) => call(url, 'POST', path, { key, body, headers });

  const webhook = { url: `${receiver.site.url}/bilby`, event_types: ['media.ready'] };
  expect((await post('/api/v1/webhooks', webhook)).status).toBe(201);
  const caller = {
    traceparent: `00-${TRACE_ID}-${CALLER_ID}-01`,
    tracestate: 'vendor=dunnart',
    baggage: 'reader=dunnart',
  };
  const saved = await post('/media/from_url', { url: `${site.url}/wombat?token=numbat` }, caller);
  expect(saved.status).toBe(201);
  await receiver.has(1);
  // The jobs that follow the extraction belong to the trace, too.
  await vi.waitFor(async () => {
    expect(await database.sql`select from job_queue where queue <> 'maintenance'`).toHaveLength(0);
    expect(await database.sql`select from outbox_event where status = 'pending'`).toHaveLength(0);
  }, 30_000);
  // Gauges count only unfinished jobs.
  const jobId = '01900000-0000-7000-8000-000000000001';
  await database.sql`insert into jobs (id, job_type, queue) values (${jobId}, 'later', 'default')`;
  await database.sql`
    insert into job_queue (job_id, queue, priority, due_at) values (${jobId}, 'default', 5, now() + interval '1 hour')`;
  await recordAudit(database.sql, { action: 'backup.made', actor: CLI_ACTOR, details: {} });
  const [, metricsUrl = ''] = await worker.prints(/metrics are at (http\S+)\/metrics\/prometheus/);
  scrapes = await Promise.all(
    [url, metricsUrl].map(async (origin) => (await fetch(`${origin}/metrics/prometheus`)).text()),
  );
  expect(collector.spans).toEqual([]);
  expect(await Promise.all([server.stop(), worker.stop()])).toEqual([0, 0]);
  trace = collector.spans.filter(({ traceId }) => traceId === TRACE_ID);
});

/** Returns the only span with this name, or the only one below a parent. */
function spanNamed(name: string, parent?: ReceivedSpan): ReceivedSpan {
  const found = trace.filter((span) => span.name === name && (!parent || span.parentId === parent.spanId));
  if (found.length !== 1) throw new Error(`${found.length} spans are called ${name}:\n${tree()}`);
  return found[0] as ReceivedSpan;
}

const childrenOf = ({ spanId }: ReceivedSpan) => trace.filter(({ parentId }) => parentId === spanId);
const namesOf = (spans: ReceivedSpan[]) => spans.map(({ name }) => name);

/** The names of the spans, indented below their parents. */
function tree(parentId = CALLER_ID, indent = ''): string {
  return trace
    .filter((span) => span.parentId === parentId)
    .map((span) => `${indent}${span.name}\n${tree(span.spanId, `${indent}  `)}`)
    .join('');
}

test('the request continues the trace of its caller, with its statements and their commit below it', () => {
  const request = spanNamed('POST /api/v1/media/from_url');
  expect(request).toMatchObject({
    parentId: CALLER_ID,
    kind: 2,
    isFailed: false,
    attributes: {
      'http.request.method': 'POST',
      'http.route': '/api/v1/media/from_url',
      'http.response.status_code': 201,
    },
    resource: { 'service.name': 'nexus-test', 'process.pid': server.pid, 'nexus.command': 'serve' },
  });
  const statements = childrenOf(request).filter(({ kind }) => kind === 3);
  expect(namesOf(statements)).toEqual(
    expect.arrayContaining(['insert media', 'insert outbox_event', 'insert jobs job_queue', 'commit']),
  );
  for (const { name, attributes } of statements)
    expect(attributes).toEqual({ 'db.system.name': 'postgresql', 'db.query.summary': name });
});

test('the job runs in another process below the request; the fetch and the extraction are below the job', () => {
  const job = spanNamed('process ingest_media', spanNamed('POST /api/v1/media/from_url'));
  expect(job).toMatchObject({
    kind: 5,
    isFailed: false,
    attributes: {
      'messaging.system': 'nexus',
      'messaging.operation.type': 'process',
      'messaging.destination.name': 'ingest_media',
      'nexus.job.attempt': 1,
      'nexus.job.outcome': 'succeeded',
    },
    resource: { 'process.pid': worker.pid, 'nexus.command': 'worker' },
  });
  const [redirect, page] = childrenOf(job).filter(({ name }) => name === 'GET');
  const fetch = { kind: 3, attributes: { 'server.address': '127.0.0.1', 'server.port': site.port } };
  expect(redirect).toMatchObject(fetch);
  expect(redirect?.attributes['http.response.status_code']).toBe(302);
  expect(page).toMatchObject(fetch);
  expect(page?.attributes).toMatchObject({
    'http.response.status_code': 200,
    'http.request.resend_count': 1,
  });
  // A site that somebody reads is not told of the trace.
  for (const { headers } of site.requests) expect(headers).not.toHaveProperty('traceparent');

  const [task] = childrenOf(job).filter(({ name }) => name === 'task web_article');
  if (!task) throw new Error(`There is no extraction:\n${tree()}`);
  const run = spanNamed('run web_article', task);
  expect(run.attributes).toMatchObject({ 'nexus.pool': 'extractor', 'nexus.task': 'web_article' });
  expect([server.pid, worker.pid]).not.toContain(run.attributes['process.pid']);
  // The times are of two processes of one machine, in milliseconds with fractions.
  expect(run.startMs).toBeGreaterThan(task.startMs - 50);
  expect(run.endMs).toBeLessThan(task.endMs + 50);
  expect(run.endMs - run.startMs).toBeGreaterThan(1);
});

test('the event is below the job that emitted it, and the delivery below the event; the webhook is told', () => {
  const event = spanNamed('process media.ready', spanNamed('process ingest_media'));
  expect(event).toMatchObject({
    kind: 5,
    attributes: { 'messaging.destination.name': 'outbox', 'nexus.event.status': 'delivered' },
  });
  const delivery = spanNamed('process webhook_deliveries', event);
  expect(delivery).toMatchObject({ kind: 5, attributes: { 'nexus.webhook.status': 'delivered' } });
  const request = spanNamed('POST', delivery);
  expect(request).toMatchObject({ kind: 3, attributes: { 'server.port': receiver.site.port } });
  const [{ headers } = { headers: {} }] = receiver.received;
  expect(headers).toMatchObject({ traceparent: `00-${TRACE_ID}-${request.spanId}-01` });
  expect(headers).not.toHaveProperty('tracestate');
  expect(headers).not.toHaveProperty('baggage');
});

test('every span has its parent, and jobs that follow from the save are in its trace', () => {
  const ids = new Set([CALLER_ID, ...trace.map(({ spanId }) => spanId)]);
  expect(trace.filter(({ parentId }) => !ids.has(parentId)).map(({ name }) => name)).toEqual([]);
  expect(namesOf(trace)).toEqual(expect.arrayContaining(['process embed_media', 'process project_document']));
  // Claims, heartbeats and notifications belong to no request.
  expect(namesOf(trace).filter((name) => /workers/.test(name))).toEqual([]);
});

test('no title, text, path, query, key or header of the caller is in any span of either process', () => {
  expect(new Set(collector.spans.map(({ resource }) => resource['process.pid']))).toEqual(
    new Set([server.pid, worker.pid]),
  );
  const written = JSON.stringify(collector.spans);
  expect(PRIVATE.filter((text) => written.includes(text))).toEqual([]);
  expect(collector.spans.filter(({ events, statusMessage }) => events > 0 || statusMessage !== '')).toEqual(
    [],
  );
});

test('requests for the trace are found in the log', () => {
  expect(server.output()).toMatch(
    new RegExp(`"path":"/media/from_url","status":201,"ms":[\\d.]+,"trace_id":"${TRACE_ID}"`),
  );
});

const read = (file: string) => readFile(new URL(`../../../${file}`, import.meta.url), 'utf8');

test('the server and the worker export every metric of docs/metrics.md, and no other', async () => {
  const [, ...listed] = (await read('docs/metrics.md')).split('\n').filter((line) => line.startsWith('| '));
  const documented = listed.flatMap((line) => [...(line.split(' | ')[0] ?? '').matchAll(/`(nexus_\w+)/g)]);
  const exported = scrapes.flatMap((scrape) => [...scrape.matchAll(/^# TYPE (nexus_\w+)/gm)]);
  const names = (matches: RegExpExecArray[]) => [...new Set(matches.map(([, name]) => name))].toSorted();
  expect(names(documented)).toEqual(names(exported));
});

/** Throws unless all series and labels of an expression are exported. */
function checkExpression(expression: string): void {
  const exported = labelsOfSeries(scrapes.join('\n'));
  const { series, groupedBy } = readsOf(expression);
  const known = new Set(['instance', 'job']);
  for (const { name, labels } of series) {
    // Prometheus itself makes `up`.
    const found = name === 'up' ? new Set<string>() : exported.get(name);
    if (!found) throw new Error(`Nexus exports no ${name}: ${expression}`);
    for (const label of found) known.add(label);
    for (const label of labels)
      if (!found.has(label) && label !== 'job' && label !== 'instance')
        throw new Error(`${name} has no label ${label}: ${expression}`);
  }
  for (const label of groupedBy)
    if (!known.has(label)) throw new Error(`Nothing has the label ${label}: ${expression}`);
}

test('an expression about a metric, a label or a syntax that does not exist is found', () => {
  for (const expression of [
    'max(nexus_nothing)',
    'nexus_jobs{worker="a"}',
    'sum by (worker) (nexus_jobs)',
    'rate(nexus_jobs[5m)',
  ])
    expect(() => checkExpression(expression), expression).toThrow();
});

test('the dashboard reads only metrics and labels that are exported', async () => {
  const { panels, templating } = JSON.parse(await read('ops/grafana.json'));
  const queries: string[] = panels.flatMap(({ targets = [] }) =>
    targets.map(({ expr }: { expr: string }) => expr),
  );
  expect(queries.length).toBeGreaterThan(30);
  for (const query of queries) checkExpression(query.replaceAll('$__rate_interval', '5m'));
  for (const { definition } of templating.list)
    if (definition) checkExpression(/^label_values\((.*), \w+\)$/.exec(definition)?.[1] ?? '');
});

test('each alert reads exported metrics, and says what to do, in docs/operations.md as well', async () => {
  const { groups } = parseYaml(await read('ops/alerts.yml'));
  const headings = [...(await read('docs/operations.md')).matchAll(/^### (\w+)$/gm)].map(([, name]) => name);
  const rules = groups.flatMap((group: { rules: unknown[] }) => group.rules);
  for (const { alert, expr, labels, annotations } of rules) {
    checkExpression(expr);
    expect(['warning', 'critical'], alert).toContain(labels.severity);
    expect(annotations, alert).toEqual({
      summary: expect.stringMatching(/\w/),
      description: expect.stringMatching(/\.$/),
      runbook: `docs/operations.md#${alert.toLowerCase()}`,
    });
  }
  const alerts = rules.map(({ alert }: { alert: string }) => alert);
  expect(headings.filter((name) => name?.startsWith('Nexus'))).toEqual(alerts);
  expect(rules.find(({ alert }: { alert: string }) => alert === 'NexusBackfillDegraded').for).toBe('15m');
});
