import { context, propagation, trace } from '@opentelemetry/api';
import {
  InMemorySpanExporter,
  NodeTracerProvider,
  type ReadableSpan,
  SimpleSpanProcessor,
} from '@opentelemetry/sdk-trace-node';
import { afterAll, beforeAll, beforeEach } from 'vitest';
import { setTracing } from '../../src/platform/telemetry/tracing.ts';

/** Records spans in this process while the tests of a file run. Returns a function that lists those that have ended. */
export function useTracing(): () => ReadableSpan[] {
  const exporter = new InMemorySpanExporter();
  beforeAll(() => {
    new NodeTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] }).register();
    setTracing(true);
  });
  beforeEach(() => exporter.reset());
  // Test files share a process, and the others are not traced.
  afterAll(() => {
    setTracing(false);
    for (const api of [trace, context, propagation]) api.disable();
  });
  return () => exporter.getFinishedSpans();
}
