import type { Metrics } from '../telemetry/metrics.ts';
import {
  context,
  errorType,
  isTracing,
  markFailed,
  recordingSpan,
  type Span,
  SpanKind,
  startSpan,
  trace,
  traceparentOf,
} from '../telemetry/tracing.ts';
import type { Hop } from './redirect.ts';

/** Follows an outgoing request in the metrics, and each request of its chain of redirects in a span. */
export class FollowedRequest {
  readonly #startedAt = performance.now();
  readonly #metrics: Pick<Metrics, 'observeEgress'> | undefined;
  readonly #passesTrace: boolean;
  #span: Span | undefined;
  #isOver = false;

  constructor(metrics: Pick<Metrics, 'observeEgress'> | undefined, passesTrace: boolean) {
    this.#metrics = metrics;
    this.#passesTrace = passesTrace;
  }

  /** Called before a request is sent. Returns it with the header that continues the trace, if the receiver may have it. */
  begin(hop: Hop, redirects: number): Hop {
    if (!isTracing() || !recordingSpan()) return hop;
    const { protocol, hostname, port } = hop.url;
    this.#span = startSpan({
      name: hop.method,
      kind: SpanKind.CLIENT,
      // Without `url.full`: what people read is private, and the path of a webhook may be its password.
      attributes: {
        'http.request.method': hop.method,
        'url.scheme': protocol.slice(0, -1),
        'server.address': hostname,
        'server.port': Number(port) || (protocol === 'https:' ? 443 : 80),
        ...(redirects > 0 && { 'http.request.resend_count': redirects }),
      },
    });
    const traceparent = this.#passesTrace ? traceparentOf(trace.setSpan(context.active(), this.#span)) : null;
    return traceparent ? { ...hop, headers: { ...hop.headers, traceparent } } : hop;
  }

  /** Called when the headers of a response are there. */
  answered(status: number): void {
    this.#span?.setAttribute('http.response.status_code', status);
    if (status >= 400 && this.#span) markFailed(this.#span, { code: String(status) });
  }

  redirected(): void {
    this.#span?.end();
    this.#span = undefined;
  }

  /** Called when the body was read or destroyed, or when the request failed. */
  end(ended: { status: number } | { error: unknown }): void {
    if (this.#isOver) return;
    this.#isOver = true;
    const seconds = (performance.now() - this.#startedAt) / 1000;
    const outcome = 'status' in ended ? `${Math.floor(ended.status / 100)}xx` : errorType(ended.error);
    this.#metrics?.observeEgress({ outcome, seconds });
    if (this.#span && 'error' in ended) markFailed(this.#span, ended.error);
    this.#span?.end();
  }
}
