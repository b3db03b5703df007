import { useEffect, useSyncExternalStore } from 'react';
import type { EventPayload, EventType } from '../../../src/contract/events.ts';

/** An event of the stream, as far as this app looks at it. */
export interface StreamEvent<Type extends EventType = EventType> {
  type: Type;
  id: string;
  time: string;
  data: EventPayload<Type>;
}

type Listener = (event: StreamEvent) => void;

/** EventSource hands out named events by name only, so all names are listed here; the type keeps the list whole. */
const TYPES: Record<EventType, true> = {
  'media.created': true,
  'media.ready': true,
  'media.failed': true,
  'media.deleted': true,
  'library.created': true,
  'library.deleted': true,
  'library.media_added': true,
  'library.media_removed': true,
  'library.member_added': true,
  'library.member_removed': true,
  'library.ownership_transferred': true,
  'invitation.created': true,
  'invitation.accepted': true,
  'invitation.declined': true,
  'invitation.revoked': true,
  'backfill.completed': true,
  'backfill.failed': true,
  'job.succeeded': true,
  'job.failed': true,
  'job.cancelled': true,
  'analysis.completed': true,
  'webhook.disabled': true,
  'api_key.created': true,
  'api_key.disabled': true,
};

export type StreamState = 'closed' | 'connecting' | 'open';

const REOPEN_MS = 5000;

/**
 * The tab's one connection to the event stream. The browser resumes a broken connection by itself with the last id it
 * saw; where it gives up (an error status while Nexus restarts), this opens a new one after the same id.
 */
class EventStream {
  #source: EventSource | undefined;
  #lastId: string | undefined;
  #state: StreamState = 'closed';
  #reopen: ReturnType<typeof setTimeout> | undefined;
  readonly #listeners = new Set<Listener>();
  readonly #watchers = new Set<() => void>();

  open(): void {
    if (this.#source) return;
    const after = this.#lastId ? `?after=${encodeURIComponent(this.#lastId)}` : '';
    const source = new EventSource(`/api/v1/events/stream${after}`);
    this.#source = source;
    this.#move('connecting');
    source.onopen = () => this.#move('open');
    source.onerror = () => {
      this.#move('connecting');
      if (source.readyState !== EventSource.CLOSED) return;
      this.#source = undefined;
      clearTimeout(this.#reopen);
      this.#reopen = setTimeout(() => this.open(), REOPEN_MS);
    };
    for (const type of Object.keys(TYPES)) source.addEventListener(type, this.#receive);
  }

  close(): void {
    clearTimeout(this.#reopen);
    this.#source?.close();
    this.#source = undefined;
    this.#lastId = undefined;
    this.#move('closed');
  }

  on(listener: Listener): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  readonly watch = (watcher: () => void): (() => void) => {
    this.#watchers.add(watcher);
    return () => this.#watchers.delete(watcher);
  };

  readonly state = (): StreamState => this.#state;

  readonly #receive = (message: MessageEvent<string>) => {
    this.#lastId = message.lastEventId || this.#lastId;
    const event = JSON.parse(message.data) as StreamEvent;
    for (const listener of this.#listeners) listener(event);
  };

  #move(state: StreamState): void {
    this.#state = state;
    for (const watcher of this.#watchers) watcher();
  }
}

export const eventStream = new EventStream();

/** Calls back for every event while the component is there. The listener should be stable. */
export function useEvents(listener: Listener): void {
  useEffect(() => eventStream.on(listener), [listener]);
}

export function useStreamState(): StreamState {
  return useSyncExternalStore(eventStream.watch, eventStream.state);
}
