import cookie from '@fastify/cookie';
import helmet from '@fastify/helmet';
import Fastify, { type FastifyBaseLogger, LogController } from 'fastify';
import { serializerCompiler, validatorCompiler, type ZodTypeProvider } from 'fastify-type-provider-zod';
import { NexusError } from '../contract/errors.ts';
import type { Logger } from '../platform/telemetry/logger.ts';
import type { Metrics } from '../platform/telemetry/metrics.ts';
import { type RegisteredRoute, trackRoutes } from './access.ts';
import { type Authentication, type InternalPolicy, registerAuthentication } from './authentication.ts';
import { answerBrokenHttp, answerUnknownExpectation, BARE_HEADERS } from './broken-http.ts';
import { type Drain, registerDrain } from './drain.ts';
import { replyWithError } from './errors.ts';
import type { HttpServer } from './http-server.ts';
import { registerJsonBody } from './json-body.ts';
import { requireLoopbackHost } from './loopback-host.ts';
import { registerOpenApi } from './openapi.ts';
import { requestId } from './request-id.ts';
import { registerSessionCookie } from './session-cookie.ts';
import { registerWebApp, type WebAppOptions } from './web-app.ts';
import { registerWellFormed } from './well-formed.ts';

export interface HttpServerOptions {
  log: Logger;
  metrics: Pick<Metrics, 'observeRequest'>;
  authentication: Authentication;
  internal: InternalPolicy;
  bodyLimitBytes: number;
  trustedProxies: string[];
  /** Whether only this machine is to reach Nexus: then every request must call it by a loopback name. */
  isLocal: boolean;
  /** Whether people reach Nexus over https. */
  isServedOverHttps: boolean;
  webApp: WebAppOptions;
  /** Registers the features' routes. */
  routes(server: HttpServer, registered: RegisteredRoute[]): void;
}

export interface Shell {
  server: HttpServer;
  routes: RegisteredRoute[];
  drain: Drain;
}

/** Longer than any route allows: the route's own limit has the better sentence. */
const LONGEST_PATH_PART = 500;

/** The HTTP shell: everything that holds for all routes, around the routes it is given. */
export async function createHttpServer(options: HttpServerOptions): Promise<Shell> {
  const server = Fastify({
    loggerInstance: options.log as FastifyBaseLogger,
    logController: new LogController({ disableRequestLogging: true, requestIdLogLabel: 'request_id' }),
    bodyLimit: options.bodyLimitBytes,
    requestTimeout: 60_000,
    return503OnClosing: false,
    // Closing comes after the drain: whatever is still connected then has had its time.
    forceCloseConnections: true,
    trustProxy: options.trustedProxies.length > 0 ? options.trustedProxies : false,
    genReqId: requestId,
    clientErrorHandler: answerBrokenHttp,
    routerOptions: { maxParamLength: LONGEST_PATH_PART },
    frameworkErrors: (error, request, reply) => {
      // No hook has run for it.
      reply.headers({ 'x-request-id': request.id, ...BARE_HEADERS });
      replyWithError(error, request, reply);
    },
  }).withTypeProvider<ZodTypeProvider>();

  server.setValidatorCompiler(validatorCompiler);
  server.setSerializerCompiler(serializerCompiler);
  server.setErrorHandler(replyWithError);
  server.server.on('checkExpectation', answerUnknownExpectation);
  registerJsonBody(server);
  server.setNotFoundHandler((request) => {
    throw new NexusError('E_NOT_FOUND', `There is no ${request.method} ${pathOf(request.url)}.`);
  });

  const routes = trackRoutes(server);
  observeRequests(server, options);
  const drain = registerDrain(server);
  await server.register(helmet, {
    // Tightest first; a page that needs more says so itself.
    contentSecurityPolicy: {
      useDefaults: false,
      directives: { defaultSrc: ["'none'"], frameAncestors: ["'none'"] },
    },
    // Nexus may be served over plain http on a private network; whoever puts TLS before it sets this there.
    strictTransportSecurity: false,
  });
  if (options.isLocal) requireLoopbackHost(server);
  await server.register(cookie);
  registerSessionCookie(server, options.isServedOverHttps);
  registerAuthentication(server, options.authentication, options.internal);
  registerWellFormed(server);
  await registerOpenApi(server);
  options.routes(server, routes);
  await registerWebApp(server, options.webApp);
  await server.ready();
  return { server, routes, drain };
}

function observeRequests(server: HttpServer, { metrics }: Pick<HttpServerOptions, 'metrics'>): void {
  server.addHook('onRequest', async (request, reply) => {
    reply.header('x-request-id', request.id);
  });
  server.addHook('onResponse', async (request, reply) => {
    // A stream lasts for as long as its reader stays, which says nothing about Nexus.
    const isStream = String(reply.getHeader('content-type')).startsWith('text/event-stream');
    metrics.observeRequest({
      method: request.method,
      route: request.is404 ? 'none' : (request.routeOptions.url ?? 'none'),
      status: reply.statusCode,
      seconds: isStream ? undefined : reply.elapsedTime / 1000,
    });
    // The path without its query, which may carry tokens; no headers, no bodies.
    request.log.info(
      {
        method: request.method,
        path: pathOf(request.url),
        status: reply.statusCode,
        ms: Math.round(reply.elapsedTime * 10) / 10,
      },
      'request',
    );
  });
}

function pathOf(url: string): string {
  return url.split('?', 1)[0] ?? url;
}
