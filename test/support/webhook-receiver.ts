import { EventEmitter, once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { text } from 'node:stream/consumers';
import { type Site, startSite } from './internet.ts';

export interface Received {
  id: string;
  headers: IncomingMessage['headers'];
  body: string;
}

/** The answer to a delivery: a status with headers, or none; `close` closes the connection. */
export type Reply = { status: number; headers?: Record<string, string>; body?: string } | 'hang' | 'close';

export interface Receiver {
  site: Site;
  received: Received[];
  /** Resolves when this many requests have arrived. */
  has(count: number): Promise<Received[]>;
}

/** Starts an endpoint that records deliveries and answers with `reply`. */
export async function startReceiver(
  reply: (received: Received) => Reply | Promise<Reply> = () => ({ status: 204 }),
): Promise<Receiver> {
  const received: Received[] = [];
  const arrivals = new EventEmitter().setMaxListeners(0);
  const site = await startSite(async (request, response) => {
    const arrived = {
      id: String(request.headers['webhook-id']),
      headers: request.headers,
      body: await text(request),
    };
    received.push(arrived);
    arrivals.emit('arrival');
    const answer = await reply(arrived);
    if (answer === 'close') response.destroy();
    else if (answer !== 'hang') response.writeHead(answer.status, answer.headers).end(answer.body);
  });
  return {
    site,
    received,
    async has(count) {
      while (received.length < count) await once(arrivals, 'arrival');
      return received;
    },
  };
}
