import type { EventPayload, EventType } from '../../../src/contract/events.ts';
import { createStore } from './store.ts';

/** An event of the stream, with the fields that this app uses. */
export type StreamEvent = {
  [Type in EventType]: { type: Type; data: EventPayload<Type> };
}[EventType];

/** EventSource delivers named events only by their name, so all names are listed. The type keeps the list complete. */
const TYPES: Record<EventType, true> = {
  'media.created': true,
  'media.status_changed': true,
  'media.ready': true,
  'media.failed': true,
  'media.deleted': true,
  'media.projected': true,
  'library.created': true,
  'library.renamed': true,
  'library.deleted': true,
  'library.media_added': true,
  'library.media_removed': true,
  'library.member_added': true,
  'library.member_removed': true,
  'library.member_role_changed': true,
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
  'analysis.compared': true,
  'webhook.disabled': true,
  'api_key.created': true,
  'api_key.disabled': true,
};

/** `lost`: the browser is reconnecting. `refused`: the server answered with an error, and a new connection follows. */
export type StreamState = 'closed' | 'connecting' | 'open' | 'lost' | 'refused';

const REOPEN_MS = 5000;

/** The state of the tab's connection to the event stream. */
export const streamState = createStore<StreamState>('closed');

const listeners = new Set<(event: StreamEvent) => void>();
let source: EventSource | undefined;
let reopening: ReturnType<typeof setTimeout> | undefined;

export function onStreamEvent(listener: (event: StreamEvent) => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** Opens the tab's one connection. The browser reconnects by itself, with the id of the last event, unless it is refused. */
export function openStream(): void {
  if (source) return;
  const opened = new EventSource('/api/v1/events/stream');
  source = opened;
  if (streamState.get() === 'closed') streamState.set('connecting');
  opened.onopen = () => streamState.set('open');
  opened.onerror = () => {
    const isRefused = opened.readyState === EventSource.CLOSED;
    streamState.set(isRefused ? 'refused' : 'lost');
    if (!isRefused) return;
    source = undefined;
    reopening = setTimeout(openStream, REOPEN_MS);
  };
  for (const type of Object.keys(TYPES)) opened.addEventListener(type, receive);
}

export function closeStream(): void {
  clearTimeout(reopening);
  source?.close();
  source = undefined;
  streamState.set('closed');
}

function receive(message: MessageEvent<string>): void {
  const event: StreamEvent = JSON.parse(message.data);
  for (const listener of listeners) listener(event);
}
