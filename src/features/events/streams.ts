import { PassThrough, type Readable } from 'node:stream';
import { NexusError } from '../../contract/errors.ts';
import type { Principal } from '../../contract/identity.ts';
import type { Database } from '../../platform/database/database.ts';
import type { Listener } from '../../platform/database/listener.ts';
import { EVENTS_EMITTED } from '../../platform/outbox/emit-event.ts';
import { isAfter, type Position, writePosition } from '../../platform/outbox/position.ts';
import type { Logger } from '../../platform/telemetry/logger.ts';
import { oneAtATime } from '../../platform/work/one-at-a-time.ts';
import { type GivenCursor, knownPosition, shownEvent } from './feed.ts';
import type { SearchedEvents } from './searched-events.ts';
import * as store from './store.ts';
import { eventViewerOf } from './visibility.ts';

interface StreamsOptions {
  sql: Database;
  listener: Pick<Listener, 'on'>;
  log: Logger;
  heartbeatSeconds?: number;
  pollSeconds?: number;
  /** The most streams that this process keeps open. */
  mostStreams?: number;
  searched: SearchedEvents;
}

export type EventStreams = ReturnType<typeof createEventStreams>;

interface StreamRequest {
  /** The position to start after; now, if there is none. */
  from?: GivenCursor | undefined;
  types?: readonly string[] | undefined;
  searchId?: string | undefined;
}

interface Stream {
  principal: Principal;
  out: PassThrough;
  /** The event types that the client asked for; undefined for all. */
  types: ReadonlySet<string> | undefined;
  /** The saved search whose media the client asked for; undefined for all events. */
  searchId: string | undefined;
  /** All visible events up to this position have been sent. */
  sentTo: Position;
  /** Events that arrived while the stream was catching up; undefined once it has caught up. */
  waiting: store.PlacedEvent[] | undefined;
}

/** The most streams of one person in one process. The next one ends the oldest. */
const STREAMS_PER_PERSON = 10;
/** The delay before the client of a replaced stream reconnects, so that eleven tabs do not keep replacing each other. */
const REPLACED_RETRY_MS = 60_000;
const MOST_STREAMS = 5000;
const READ_AT_ONCE = 500;
/** A client that is this far behind is disconnected, and resumes when it can read faster. */
const MOST_UNREAD_BYTES = 1024 * 1024;
const MOST_WAITING = 10_000;
/** The delay before looking again for events that wait for an older transaction. */
const UNSETTLED_MS = 50;

/**
 * Creates the event streams of this process. One reader follows the events for all of them and checks rights once per batch
 * and person, so the cost of an event does not grow with the streams of one person.
 */
export function createEventStreams(options: StreamsOptions) {
  const { sql, listener, log, searched } = options;
  const { heartbeatSeconds = 15, pollSeconds = 2, mostStreams = MOST_STREAMS } = options;
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
    const principals = present.map(({ principal }) => principal);
    const eventIds = events.map(({ id }) => id);
    const visible = await store.findVisible(sql, principals, eventIds);
    const eventsOf = new Map<number, store.PlacedEvent[]>();
    for (const { indexes, ids, payloads } of visible) {
      const seen = new Set(ids);
      const shown = events
        .filter(({ id }) => seen.has(id))
        .map((event) => ({ ...event, payload: payloads?.[event.id] ?? event.payload }));
      for (const index of indexes) eventsOf.set(index, shown);
    }
    for (const [index, stream] of present.entries()) {
      const theirs = eventsOf.get(index) ?? [];
      if (stream.waiting && stream.waiting.length > MOST_WAITING) stream.out.destroy();
      else if (stream.waiting) stream.waiting.push(...theirs);
      else await send(stream, theirs);
    }
  }

  /**
   * Returns those of the events that a stream asked for. A stream whose saved search is gone, or cannot be carried out, ends:
   * it must not hold up the others. Its client reconnects from its last event, or is told why it cannot.
   */
  async function wantedBy(stream: Stream, events: store.PlacedEvent[]): Promise<Set<store.PlacedEvent>> {
    const { types, searchId, principal } = stream;
    const typed = types ? events.filter(({ event_type }) => types.has(event_type)) : events;
    if (searchId === undefined || typed.length === 0) return new Set(typed);
    try {
      return new Set(await searched.filter(principal, searchId, typed));
    } catch (error) {
      log.info({ err: error }, 'an event stream of a saved search ended');
      stream.out.end();
      return new Set();
    }
  }

  async function send(stream: Stream, events: store.PlacedEvent[]): Promise<void> {
    const wanted = await wantedBy(stream, events);
    for (const event of events) {
      if (!isAfter(event, stream.sentTo)) continue;
      stream.sentTo = event;
      if (!wanted.has(event)) continue;
      write(stream, `id: ${writePosition(event)}\ndata: ${JSON.stringify(shownEvent(event))}\n\n`);
    }
    if (stream.out.writableLength > MOST_UNREAD_BYTES) stream.out.destroy();
  }

  function write({ out }: Stream, text: string): void {
    if (!out.writableEnded && !out.destroyed) out.write(text);
  }

  /** Sends past events until the stream has reached the present. */
  async function catchUp(stream: Stream): Promise<void> {
    for (let isMore = true; isMore && !stream.out.destroyed; ) {
      const page = await store.readFeed(sql, eventViewerOf(stream.principal), {
        after: stream.sentTo,
        limit: READ_AT_ONCE,
      });
      await send(stream, page.events);
      const isCut = page.events.length === READ_AT_ONCE;
      if (!isCut && page.scanned_to) stream.sentTo = page.scanned_to;
      isMore = isCut || page.scanned_count === store.SCANNED_AT_ONCE;
    }
    // More may arrive while the events of a saved search are filtered.
    while (stream.waiting && stream.waiting.length > 0) await send(stream, stream.waiting.splice(0));
    stream.waiting = undefined;
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

  /** Keeps connections open through proxies, and ends streams whose credentials are no longer valid. */
  function beat(): void {
    const present = [...streams];
    for (const stream of present) write(stream, ': still here\n\n');
    const principals = present.map(({ principal }) => principal);
    store
      .stillAdmitted(sql, principals)
      .then((admitted) =>
        present.forEach((stream, index) => {
          if (!admitted.has(index)) stream.out.end();
        }),
      )
      .catch((error) => log.warn({ err: error }, 'checking open streams failed; trying again'));
  }

  /** Ends the oldest streams of a person, so that one more fits. */
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
  }

  return {
    /** Opens a stream of server-sent events that starts after the cursor, or now. */
    async open(principal: Principal, { from, types, searchId }: StreamRequest = {}): Promise<Readable> {
      if (searchId !== undefined) await searched.require(principal, searchId);
      const now = await store.lastPosition(sql);
      const sentTo = from === undefined ? now : await knownPosition(sql, from);
      const wanted = types && new Set(types);
      const stream: Stream = {
        principal,
        out: new PassThrough(),
        types: wanted,
        searchId,
        sentTo,
        waiting: [],
      };
      if (isClosed) return stream.out.end();
      endOldest(principal.user_id);
      if (streams.size >= mostStreams) {
        throw new NexusError('E_TOO_MANY_STREAMS', 'Too many event streams are open. Try again later.', {
          retryAfterSeconds: 30,
        });
      }
      // Nobody has followed since the last stream closed: the head is old, and a batch that was being sent may still set it.
      if (streams.size === 0) head = now;
      streams.add(stream);
      stream.out.on('error', (error) => log.debug({ err: error }, 'an event stream was interrupted'));
      stream.out.once('close', () => leave(stream));
      stopFollowing ??= follow();
      // The id makes a client that reconnects before its first event resume from here, not from the time it is back.
      write(stream, `id: ${writePosition(sentTo)}\nretry: 2000\n\n`);
      void catchUp(stream).catch((error) => stream.out.destroy(error));
      return stream.out;
    },
    count: () => streams.size,
    /** Ends all streams; clients reconnect with the last id they received. */
    close() {
      isClosed = true;
      for (const { out } of streams) out.end();
    },
  };
}
