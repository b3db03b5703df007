import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { NEXUS_VERSION } from '../version.ts';
import type { Logger } from './logger.ts';
import { setTracing } from './tracing.ts';

interface TracingOptions {
  log: Logger;
  /** The variables of OpenTelemetry, which its SDK reads by itself. */
  variables: Record<string, string>;
  /** The command of this process. */
  purpose: string;
}

interface Tracing {
  /** Sends the spans that are left. Waits a few seconds at most for a collector that does not answer. */
  stop(): Promise<void>;
}

const OFF: Tracing = { stop: async () => undefined };
const LONGEST_FLUSH_MS = 5000;
/** A collector that is down would otherwise be reported with every batch. */
const WARN_EVERY_MS = 60_000;

/**
 * Starts to send traces if OTEL_EXPORTER_OTLP_ENDPOINT says where to. The SDK is loaded only then: it takes 60 ms, and
 * follows the context of every promise from then on.
 */
export async function startTracing({ log, variables, purpose }: TracingOptions): Promise<Tracing> {
  const isDisabled =
    variables.OTEL_SDK_DISABLED?.toLowerCase() === 'true' || variables.OTEL_TRACES_EXPORTER === 'none';
  if (!variables.OTEL_EXPORTER_OTLP_ENDPOINT || isDisabled) return OFF;
  const [{ diag, DiagLogLevel }, sdk, { OTLPTraceExporter }, resources] = await Promise.all([
    import('@opentelemetry/api'),
    import('@opentelemetry/sdk-trace-node'),
    import('@opentelemetry/exporter-trace-otlp-proto'),
    import('@opentelemetry/resources'),
  ]);
  // The SDK knows only the variables of the process, not those of a .env file.
  for (const [name, value] of Object.entries(variables)) process.env[name] ??= value;
  const protocol = variables.OTEL_EXPORTER_OTLP_TRACES_PROTOCOL ?? variables.OTEL_EXPORTER_OTLP_PROTOCOL;
  if (protocol && protocol !== 'http/protobuf')
    log.warn(`OTEL_EXPORTER_OTLP_PROTOCOL is ${protocol}, but Nexus sends traces as http/protobuf`);

  let warnedAt = Number.NEGATIVE_INFINITY;
  const warn = (message: string) => {
    if (performance.now() - warnedAt < WARN_EVERY_MS) return;
    warnedAt = performance.now();
    log.warn({ reason: reasonOf(message) }, 'traces could not be sent');
  };
  const ignore = () => undefined;
  diag.setLogger(
    { error: warn, warn, info: ignore, debug: ignore, verbose: ignore },
    { logLevel: DiagLogLevel.WARN },
  );

  const provider = new sdk.NodeTracerProvider({
    resource: resources
      .defaultResource()
      .merge(
        resources.resourceFromAttributes({
          'service.name': 'nexus',
          'service.version': NEXUS_VERSION,
          'service.instance.id': randomUUID(),
          'process.pid': process.pid,
          'nexus.command': purpose,
        }),
      )
      // OTEL_SERVICE_NAME and OTEL_RESOURCE_ATTRIBUTES take precedence.
      .merge(resources.detectResources({ detectors: [resources.envDetector] })),
    spanProcessors: [new sdk.BatchSpanProcessor(new OTLPTraceExporter())],
  });
  provider.register();
  setTracing(true);
  return {
    async stop() {
      setTracing(false);
      const stopped = provider.shutdown().catch((error: Error) => warn(error.message));
      await Promise.race([stopped, pause(LONGEST_FLUSH_MS, undefined, { ref: false })]);
    },
  };
}

/** The SDK reports an error as its fields in JSON, with the stack first. */
function reasonOf(message: string): string {
  const [, inner] = /"message":"((?:[^"\\]|\\.)*)"/.exec(message) ?? [];
  return (inner ?? message).slice(0, 500);
}
