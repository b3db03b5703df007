import {
  type Attributes,
  type Context,
  context,
  INVALID_SPAN_CONTEXT,
  type Link,
  propagation,
  ROOT_CONTEXT,
  type Span,
  SpanKind,
  SpanStatusCode,
  type TimeInput,
  type Tracer,
  trace,
} from '@opentelemetry/api';

export { type Context, context, type Span, SpanKind, trace };

interface SpanSettings {
  /** Few different names: the operation and its kind of object, never an id. */
  name: string;
  kind?: SpanKind;
  /** Never a title, a text, a key, a path or a query: everybody who reads traces sees them. */
  attributes?: Attributes;
  links?: Link[];
  /** The active context by default. */
  parent?: Context;
  startTime?: TimeInput;
}

/** Set while spans are recorded. */
let tracer: Tracer | undefined;

/**
 * Whether spans are recorded in this process. Code that runs often asks this first and creates nothing when they are not:
 * without a registered SDK, OpenTelemetry's API still allocates a span and a context for every call.
 */
export function isTracing(): boolean {
  return tracer !== undefined;
}

/** Called by `startTracing`, once the SDK is registered, and when it is shut down. */
export function setTracing(on: boolean): void {
  tracer = on ? trace.getTracer('nexus') : undefined;
}

/** Starts a span. Call it only while tracing: once spans are switched off at the end, it records nothing. */
export function startSpan({ name, parent = context.active(), ...options }: SpanSettings): Span {
  return tracer?.startSpan(name, options, parent) ?? trace.wrapSpanContext(INVALID_SPAN_CONTEXT);
}

/** Runs `work` in a span. If it throws, the span has failed. */
export async function inSpan<T>(settings: SpanSettings, work: (span: Span) => Promise<T>): Promise<T> {
  const parent = settings.parent ?? context.active();
  const span = startSpan({ ...settings, parent });
  try {
    return await context.with(trace.setSpan(parent, span), work, undefined, span);
  } catch (error) {
    markFailed(span, error);
    throw error;
  } finally {
    span.end();
  }
}

/** Returns the active span if it is being recorded. Statements and requests outside of it belong to no trace. */
export function recordingSpan(): Span | undefined {
  const span = trace.getActiveSpan();
  return span?.isRecording() ? span : undefined;
}

/** Marks a span as failed. The message of an error may quote what people wrote, so only its code or name is recorded. */
export function markFailed(span: Span, error: unknown): void {
  span.setStatus({ code: SpanStatusCode.ERROR });
  span.setAttribute('error.type', errorType(error));
}

/** The `error.type` of the conventions: few different values. */
export function errorType(error: unknown): string {
  const { code, name } = (error ?? {}) as { code?: unknown; name?: unknown };
  for (const value of [code, name]) if (typeof value === 'string' && /^\w{1,60}$/.test(value)) return value;
  return '_OTHER';
}

/** Returns the active span as W3C Trace Context writes it, to be stored with the work that it causes; null without one. */
export function currentTraceparent(): string | null {
  return tracer ? traceparentOf(context.active()) : null;
}

export function traceparentOf(of: Context): string | null {
  const carrier: { traceparent?: string } = {};
  propagation.inject(of, carrier);
  return carrier.traceparent ?? null;
}

/**
 * Returns the context of a span of another process; without one, or with one that is malformed, the context of a new trace.
 * Neither `tracestate` nor `baggage` is taken over: they would carry what any caller sends to the receivers of webhooks.
 */
export function contextOf(traceparent: string | null | undefined): Context {
  return traceparent ? propagation.extract(ROOT_CONTEXT, { traceparent }) : ROOT_CONTEXT;
}

/** Runs `work` in the trace that caused it, unless a span is active already. */
export function continuing<T>(traceparent: string | null, work: () => T): T {
  if (!tracer || traceparent === null || trace.getActiveSpan()) return work();
  return context.with(contextOf(traceparent), work);
}

/** Runs `work` outside of the active span: a loop that a request wakes up is not part of that request. */
export function outsideSpans<T>(work: () => T): T {
  return tracer ? context.with(ROOT_CONTEXT, work) : work();
}
