import type { IncomingMessage } from 'node:http';
import compress from '@fastify/compress';
import cookie from '@fastify/cookie';
import Fastify, { type FastifyBaseLogger, type FastifyRequest, LogController } from 'fastify';
import { NexusError } from '../contract/errors.ts';
import { API } from '../contract/wire.ts';
import type { IdempotentRequests } from '../platform/idempotency/idempotent-requests.ts';
import { newId } from '../platform/ids.ts';
import type { Logger } from '../platform/telemetry/logger.ts';
import type { Metrics } from '../platform/telemetry/metrics.ts';
import { isTracing } from '../platform/telemetry/tracing.ts';
import { type RegisteredRoute, trackRoutes } from './access.ts';
import { allowedMethods } from './allowed-methods.ts';
import { canonicalUrl } from './api-paths.ts';
import { type Authentication, type InternalPolicy, registerAuthentication } from './authentication.ts';
import { answerBrokenHttp, answerUnknownExpectation } from './broken-http.ts';
import { registerConditionalRequests } from './conditional.ts';
import { registerCors } from './cors.ts';
import { type Drain, registerDrain } from './drain.ts';
import { replyWithError } from './errors.ts';
import type { HttpServer } from './http-server.ts';
import { registerIdempotency } from './idempotency.ts';
import { requireLoopbackHost } from './loopback-host.ts';
import { createOpenApi, registerDocumentRoute, registerReferencePage } from './openapi/routes.ts';
import { serializerCompiler, validatorCompiler, type ZodTypeProvider } from './schemas.ts';
import { SECURITY_HEADERS } from './security-headers.ts';
import { registerSessionCookie, sessionCookieName } from './session-cookie.ts';
import { traceIdOf, traceRequests } from './tracing.ts';
import { registerWebApp, type WebAppOptions } from './web-app.ts';
import { registerJsonBody, registerWellFormed } from './well-formed.ts';

interface HttpServerOptions {
  log: Logger;
  metrics: Pick<Metrics, 'observeRequest'>;
  authentication: Authentication;
  internal: InternalPolicy;
  bodyLimitBytes: number;
  trustedProxies: string[];
  /** The origins whose pages may use the API with a key or a token. */
  corsOrigins: string[];
  /** Whether Nexus serves only this machine. Then every request must use a loopback host name. */
  isLocal: boolean;
  /** Where clients reach this server, when it is configured. */
  publicUrl: string | undefined;
  webApp: WebAppOptions;
  idempotentRequests: IdempotentRequests;
  /** Registers the routes of the API. The server adds their prefix. */
  apiRoutes(api: HttpServer, registered: RegisteredRoute[]): void;
  /** Registers the routes outside the API. */
  otherRoutes(server: HttpServer): void;
}

export interface Shell {
  server: HttpServer;
  routes: RegisteredRoute[];
  drain: Drain;
}

/** The content types that are compressed: JSON, text and SVG. Event streams must arrive event by event. */
const COMPRESSED_TYPES = /^text\/(?!event-stream)|[+/](json|xml)\b/;

/** Higher than the limit of any route, whose own error message is more precise. */
const MAX_PATH_SEGMENT_LENGTH = 500;

/** Creates the HTTP server: everything that all routes share, plus the given routes. */
export async function createHttpServer(options: HttpServerOptions): Promise<Shell> {
  const server = Fastify({
    loggerInstance: options.log as FastifyBaseLogger,
    logController: new LogController({ disableRequestLogging: true, requestIdLogLabel: 'request_id' }),
    bodyLimit: options.bodyLimitBytes,
    requestTimeout: 60_000,
    return503OnClosing: false,
    // The server closes after the drain, whose grace period is over for all open connections.
    forceCloseConnections: true,
    trustProxy: options.trustedProxies.length > 0 ? options.trustedProxies : false,
    genReqId: requestId,
    rewriteUrl: canonicalUrl,
    clientErrorHandler: answerBrokenHttp,
    routerOptions: { maxParamLength: MAX_PATH_SEGMENT_LENGTH },
    frameworkErrors: (error, request, reply) => {
      // No hook has run for this request.
      reply.headers({ 'x-request-id': request.id, ...SECURITY_HEADERS });
      replyWithError(error, request, reply);
    },
  }).withTypeProvider<ZodTypeProvider>();

  server.setValidatorCompiler(validatorCompiler);
  server.setSerializerCompiler(serializerCompiler);
  registerIdempotency(server, options.idempotentRequests);
  registerConditionalRequests(server);
  server.server.on('checkExpectation', answerUnknownExpectation);
  registerJsonBody(server);
  const routes = trackRoutes(server);
  const methodsOf = allowedMethods(routes);
  server.setNotFoundHandler((request, reply) => {
    const path = pathOf(request.originalUrl);
    if (isForPeople(request)) return sendPage(reply.status(404));
    const methods = methodsOf(pathOf(request.url));
    // A route may find nothing at its path, too.
    if (methods.length === 0 || methods.includes(request.method))
      throw new NexusError('E_NOT_FOUND', `The route ${request.method} ${path} does not exist.`);
    reply.header('allow', methods.join(', '));
    throw new NexusError('E_METHOD_NOT_ALLOWED', `${path} allows only ${methods.join(', ')}.`);
  });

  if (isTracing()) traceRequests(server);
  observeRequests(server, options);
  const drain = registerDrain(server);
  await server.register(compress, {
    encodings: ['br', 'gzip'],
    customTypes: COMPRESSED_TYPES,
    // Bodies of requests are not decompressed: a few bytes could become gigabytes.
    globalDecompression: false,
  });
  if (options.isLocal) requireLoopbackHost(server);
  registerCors(server, options.corsOrigins);
  await server.register(cookie);
  registerSessionCookie(server, options.publicUrl?.startsWith('https:') ?? false);
  registerAuthentication(server, options.authentication, options.internal);
  registerWellFormed(server);
  const openApi = createOpenApi({
    routes,
    publicUrl: options.publicUrl,
    sessionCookieName: sessionCookieName(server.isServedOverHttps),
  });
  await server.register(
    async (api) => {
      registerDocumentRoute(api as HttpServer, openApi);
      options.apiRoutes(api as HttpServer, routes);
    },
    { prefix: API },
  );
  registerReferencePage(server, openApi);
  options.otherRoutes(server);
  const sendPage = await registerWebApp(server, options.webApp);
  await server.ready();
  return { server, routes, drain };
}

function observeRequests(server: HttpServer, { metrics }: Pick<HttpServerOptions, 'metrics'>): void {
  server.addHook('onRequest', (request, reply, done) => {
    reply.header('x-request-id', request.id).headers(SECURITY_HEADERS);
    done();
  });
  server.addHook('onResponse', (request, reply, done) => {
    // The duration of an event stream depends only on the client, so it is not a response time.
    const isStream = String(reply.getHeader('content-type')).startsWith('text/event-stream');
    const { method } = request;
    const { statusCode: status } = reply;
    const route = request.is404 ? 'none' : (request.routeOptions.url ?? 'none');
    metrics.observeRequest({
      method,
      route,
      status,
      seconds: isStream ? undefined : reply.elapsedTime / 1000,
    });
    // Never log the query, headers or body: they may contain secrets.
    const ms = Math.round(reply.elapsedTime * 10) / 10;
    const trace_id = traceIdOf(request);
    request.log.info(
      { method, path: pathOf(request.originalUrl), status, ms, ...(trace_id && { trace_id }) },
      'request',
    );
    done();
  });
}

const VALID_REQUEST_ID = /^[A-Za-z0-9._-]{1,128}$/;

/** Returns the caller's request id if it is a valid token, otherwise a new one. */
function requestId(request: IncomingMessage): string {
  const given = request.headers['x-request-id'];
  return typeof given === 'string' && VALID_REQUEST_ID.test(given) ? given : newId();
}

/** Whether a browser asks for a page outside the API. */
function isForPeople({ method, url, headers }: FastifyRequest): boolean {
  const isRead = method === 'GET' || method === 'HEAD';
  return isRead && !url.startsWith('/api/') && (headers.accept ?? '').includes('text/html');
}

function pathOf(url: string): string {
  return url.split('?', 1)[0] ?? url;
}
