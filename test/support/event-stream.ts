import { once } from 'node:events';
import { get, type IncomingMessage } from 'node:http';
import { createInterface } from 'node:readline';

export interface StreamedEvent {
  cursor: string;
  /** The name of the message. An EventSource gives only messages without one to `onmessage`. */
  name: string | undefined;
  type: string;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into events of every type
  event: any;
}

/** A client of the stream of server-sent events. */
export interface StreamReader {
  response: IncomingMessage;
  events: StreamedEvent[];
  /** Resolves when there are this many events. */
  has(count: number): Promise<StreamedEvent[]>;
  /** Resolves with the next comment, which is a heartbeat. */
  heartbeat(): Promise<void>;
  ended: Promise<unknown>;
  close(): void;
}

export async function openStream(
  url: string,
  key: string,
  headers: Record<string, string> = {},
  query: Record<string, string> = {},
): Promise<StreamReader> {
  const request = get(`${url}/api/v1/events/stream?${new URLSearchParams(query)}`, {
    agent: false,
    headers: { 'x-nexus-api-key': key, ...headers },
  });
  const [response] = (await once(request, 'response')) as [IncomingMessage];
  const events: StreamedEvent[] = [];
  let fields: Record<string, string> = {};
  const lines = createInterface({ input: response }).on('error', () => undefined);
  lines.on('line', (line) => {
    if (line.startsWith(':')) response.emit('heartbeat');
    const [, field, value] = /^(\w+): (.*)$/.exec(line) ?? [];
    if (field && value !== undefined) fields[field] = value;
    if (line !== '') return;
    const { id: cursor = '', event: name, data } = fields;
    fields = {};
    if (!data) return;
    const event = JSON.parse(data);
    events.push({ cursor, name, type: event.type, event });
    response.emit('event');
  });
  request.on('error', () => undefined);
  response.on('error', () => undefined);
  return {
    response,
    events,
    async has(count) {
      while (events.length < count) await once(response, 'event');
      return events;
    },
    heartbeat: async () => void (await once(response, 'heartbeat')),
    ended: new Promise((resolve) => response.once('close', resolve)),
    close: () => request.destroy(),
  };
}
