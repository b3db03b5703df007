import { PassThrough, type Readable } from 'node:stream';
import { NexusError } from '../../contract/errors.ts';
import type { Principal } from '../../contract/identity.ts';
import type { Database } from '../../platform/database/database.ts';
import type { Listener } from '../../platform/database/listener.ts';
import { cloudEventOf } from '../../platform/outbox/cloud-event.ts';
import { isAfter, type Position, writePosition } from '../../platform/outbox/position.ts';
import { EVENTS_EMITTED } from '../../platform/outbox/topics.ts';
import type { Logger } from '../../platform/telemetry/logger.ts';
import { oneAtATime } from '../../platform/work/one-at-a-time.ts';
import { knownPosition } from './feed.ts';
import * as store from './store.ts';
import { hearerOf } from './visibility.ts';

export interface StreamsOptions {
  sql: Database;
  listener: Pick<Listener, 'on'>;
  log: Logger;
  heartbeatSeconds?: number;
  pollSeconds?: number;
  /** Streams that this process keeps open at once. */
  mostStreams?: number;
}

export interface EventStreams {
  /** Server-sent events: from the cursor on, or from now on. */
  open(principal: Principal, cursor: string | undefined): Promise<Readable>;
  count(): number;
  /** Ends all streams; their readers come back with the last id they saw. */
  close(): void;
}

interface Stream {
  principal: Principal;
  out: PassThrough;
  /** Everything up to here has been sent, or may not be heard. */
  sentTo: Position;
  /** What came while the stream was catching up; undefined once it has. */
  waiting: store.PlacedEvent[] | undefined;
}

/** Streams that one person has open in one process. The next one ends the oldest. */
const STREAMS_PER_PERSON = 10;
/** How long the reader of a stream that was ended in this way waits: eleven tabs must not end each other's all the time. */
const REPLACED_RETRY_MS = 60_000;
const MOST_STREAMS = 5000;
const READ_AT_ONCE = 500;
/** A reader that is so far behind is sent away, and comes back when it can read faster. */
const MOST_UNREAD_BYTES = 1024 * 1024;
const MOST_WAITING = 10_000;
/** How soon to look again for events that wait for an older transaction. */
const UNSETTLED_MS = 50;

/**
 * All open streams of this process. One reader follows the events, and asks once for each batch who may hear what, for each
 * person once: the cost of an event does not grow with the streams of one person.
 */
export function createEventStreams(options: StreamsOptions): EventStreams {
  const { sql, listener, log, heartbeatSeconds = 15, pollSeconds = 2, mostStreams = MOST_STREAMS } = options;
  const streams = new Set<Stream>();
  let head: Position | undefined;
  let isClosed = false;
  let stopFollowing: (() => void) | undefined;
  let lookAgain: NodeJS.Timeout | undefined;

  const tail = oneAtATime(async () => {
    try {
      for (let isMore = true; isMore && streams.size > 0 && head; ) {
        const events = await store.readTail(sql, head, READ_AT_ONCE);
        const last = events.at(-1);
        if (last) await broadcast(events);
        if (last) head = last;
        isMore = events.length === READ_AT_ONCE;
      }
      if (streams.size > 0 && (await store.hasUnsettled(sql))) {
        clearTimeout(lookAgain);
        lookAgain = setTimeout(tail.ask, UNSETTLED_MS);
      }
    } catch (error) {
      log.warn({ err: error }, 'reading events for open streams failed; trying again');
    }
  });

  async function broadcast(events: store.PlacedEvent[]): Promise<void> {
    const present = [...streams];
    const hearings = await store.whoMayHear(
      sql,
      present.map(({ principal }) => principal),
      events.map(({ id }) => id),
    );
    const heard = new Map<number, Set<string>>();
    for (const { places, ids } of hearings) {
      const audible = new Set(ids);
      for (const place of places) heard.set(place, audible);
    }
    present.forEach((stream, place) => {
      const ids = heard.get(place);
      const theirs = ids ? events.filter(({ id }) => ids.has(id)) : [];
      if (stream.waiting && stream.waiting.length > MOST_WAITING) stream.out.destroy();
      else if (stream.waiting) stream.waiting.push(...theirs);
      else send(stream, theirs);
    });
  }

  function send(stream: Stream, events: store.PlacedEvent[]): void {
    for (const event of events) {
      if (!isAfter(event, stream.sentTo)) continue;
      stream.sentTo = event;
      write(
        stream,
        `id: ${writePosition(event)}\nevent: ${event.event_type}\ndata: ${JSON.stringify(cloudEventOf(event))}\n\n`,
      );
    }
    if (stream.out.writableLength > MOST_UNREAD_BYTES) stream.out.destroy();
  }

  function write({ out }: Stream, text: string): void {
    if (!out.writableEnded && !out.destroyed) out.write(text);
  }

  /** Sends what happened before, until it meets what happens now. */
  async function catchUp(stream: Stream): Promise<void> {
    for (let isMore = true; isMore && !stream.out.destroyed; ) {
      const page = await store.readFeed(sql, hearerOf(stream.principal), stream.sentTo, READ_AT_ONCE);
      send(stream, page.events);
      const isCut = page.events.length === READ_AT_ONCE;
      if (!isCut && page.scanned_to) stream.sentTo = page.scanned_to;
      isMore = isCut || page.scanned_count === store.SCANNED_AT_ONCE;
    }
    const { waiting = [] } = stream;
    stream.waiting = undefined;
    send(stream, waiting);
  }

  function follow(): () => void {
    const unsubscribe = listener.on(EVENTS_EMITTED, tail.ask);
    const poll = setInterval(tail.ask, pollSeconds * 1000);
    const heartbeat = setInterval(beat, heartbeatSeconds * 1000);
    return () => {
      unsubscribe();
      clearInterval(poll);
      clearInterval(heartbeat);
      clearTimeout(lookAgain);
    };
  }

  /** Keeps connections open through proxies, and ends those of keys that were disabled meanwhile. */
  function beat(): void {
    const present = [...streams];
    for (const stream of present) write(stream, ': still here\n\n');
    store
      .stillAdmitted(
        sql,
        present.map(({ principal }) => principal),
      )
      .then((admitted) =>
        present.forEach((stream, place) => {
          if (!admitted.has(place)) stream.out.end();
        }),
      )
      .catch((error) => log.warn({ err: error }, 'checking open streams failed; trying again'));
  }

  /** Makes room for one more stream of this person. */
  function endOldest(userId: string): void {
    const theirs = [...streams].filter(
      ({ principal, out }) => principal.user_id === userId && !out.writableEnded,
    );
    for (const stream of theirs.slice(0, Math.max(0, theirs.length - STREAMS_PER_PERSON + 1))) {
      write(stream, `retry: ${REPLACED_RETRY_MS}\n\n`);
      stream.out.end();
    }
  }

  function leave(stream: Stream): void {
    if (!streams.delete(stream) || streams.size > 0) return;
    stopFollowing?.();
    stopFollowing = undefined;
    head = undefined;
  }

  return {
    async open(principal, cursor) {
      const now = await store.lastPosition(sql);
      const sentTo = cursor === undefined ? now : await knownPosition(sql, cursor);
      const stream: Stream = { principal, out: new PassThrough(), sentTo, waiting: [] };
      if (isClosed) return stream.out.end();
      endOldest(principal.user_id);
      if (streams.size >= mostStreams) {
        throw new NexusError(
          'E_TOO_MANY_STREAMS',
          'Nexus has as many event streams open as it keeps at once. Try again later.',
          { retryAfterSeconds: 30 },
        );
      }
      streams.add(stream);
      stream.out.on('error', (error) => log.debug({ err: error }, 'an event stream broke off'));
      stream.out.once('close', () => leave(stream));
      stopFollowing ??= follow();
      head ??= now;
      write(stream, 'retry: 2000\n\n');
      void catchUp(stream).catch((error) => stream.out.destroy(error));
      return stream.out;
    },
    count: () => streams.size,
    close() {
      isClosed = true;
      for (const { out } of streams) out.end();
    },
  };
}
