import { SpanStatusCode } from '@opentelemetry/api';
import type { FastifyRequest } from 'fastify';
import {
  type Context,
  context,
  contextOf,
  SpanKind,
  startSpan,
  trace,
} from '../platform/telemetry/tracing.ts';
import type { HttpServer } from './http-server.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** The context of the request's span, while traces are on. */
    traceContext: Context | undefined;
  }
}

/** Probes and scrapes come every few seconds and would bury the other traces. */
const UNTRACED = new Set(['/healthz', '/readyz', '/metrics', '/metrics/prometheus', '/app/*']);

/** Runs each request in a span, which continues the trace of the caller's `traceparent`. */
export function traceRequests(server: HttpServer): void {
  server.decorateRequest('traceContext', undefined);

  server.addHook('onRequest', (request, reply, done) => {
    if (!isTraced(request)) return done();
    const { method } = request;
    const route = routeOf(request);
    const { traceparent } = request.headers;
    const parent = contextOf(typeof traceparent === 'string' ? traceparent : undefined);
    const span = startSpan({
      name: route ? `${method} ${route}` : method,
      kind: SpanKind.SERVER,
      parent,
      // Without `url.path`: a path may contain the name of a tag or the token of a link.
      attributes: {
        'http.request.method': method,
        'url.scheme': request.protocol,
        'network.protocol.version': request.raw.httpVersion,
        ...(route && { 'http.route': route }),
      },
    });
    // A client that goes away ends the request without a finished response.
    reply.raw.once('close', () => {
      const status = reply.raw.statusCode;
      span.setAttribute('http.response.status_code', status);
      if (status >= 500) {
        span.setAttribute('error.type', String(status));
        span.setStatus({ code: SpanStatusCode.ERROR });
      }
      span.end();
    });
    request.traceContext = trace.setSpan(parent, span);
    context.with(request.traceContext, done);
  });

  // The body arrives in events of the connection, which know nothing of the context.
  server.addHook('preValidation', (request, _reply, done) => {
    if (request.traceContext) context.with(request.traceContext, done);
    else done();
  });
}

/** Returns the id of the request's trace, for the log. */
export function traceIdOf({ traceContext }: FastifyRequest): string | undefined {
  return traceContext && trace.getSpanContext(traceContext)?.traceId;
}

/** Event streams last for hours, and their polls would be spans of one trace. */
function isTraced(request: FastifyRequest): boolean {
  const isStream = request.routeOptions.config?.contentTypes?.[200]?.includes('text/event-stream');
  return !isStream && !UNTRACED.has(routeOf(request) ?? '');
}

function routeOf(request: FastifyRequest): string | undefined {
  return request.is404 ? undefined : request.routeOptions.url;
}
