import type { EventPayload, EventType } from '../../../src/contract/events.ts';
import { apiUrl } from './client.ts';
import { createStore } from './store.ts';

/** An event of the stream, with the fields that this app uses. */
export type StreamEvent = {
  [Type in EventType]: { type: Type; data: EventPayload<Type> };
}[EventType];

/** `lost`: the browser is reconnecting. `refused`: the server answered with an error, and a new connection follows. */
type StreamState = 'closed' | 'connecting' | 'open' | 'lost' | 'refused';

const REOPEN_MS = 5000;

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
  const opened = new EventSource(apiUrl('/events/stream'));
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
  opened.onmessage = receive;
}

export function closeStream(): void {
  clearTimeout(reopening);
  source?.close();
  source = undefined;
  streamState.set('closed');
}

function receive(message: MessageEvent<string>): void {
  const event: StreamEvent = JSON.parse(message.data);
  // After an update of the server, open pages may receive types that they do not know.
  if (!(event.type in EVENT_DESCRIPTIONS)) return;
  for (const listener of listeners) listener(event);
}

/** A short description of each event type. The type keeps the list complete. */
export const EVENT_DESCRIPTIONS: Record<EventType, string> = {
  'media.created': 'an item was saved',
  'media.status_changed': 'the processing status of an item changed',
  'media.ready': 'an item is ready to read',
  'media.failed': 'processing of an item failed',
  'media.deleted': 'an item was deleted',
  'media.projected': 'the related documents of an item were updated',
  'media.tagged': "a person's tags on an item changed",
  'media.archived': 'an item was archived or unarchived',
  'media.favourited': 'an item was added to favourites, or removed from them',
  'media.titled': "a person's own title of an item changed",
  'media.noted': "a person's note on an item changed",
  'highlight.created': 'a passage was highlighted',
  'highlight.updated': 'a highlight changed',
  'highlight.shared': 'a highlight was shared',
  'highlight.deleted': 'a highlight was deleted',
  'reply.created': 'somebody replied to a highlight',
  'rule.matched': 'a rule matched an item',
  'rule.run_ended': 'a run of a rule ended',
  'library.created': 'a library was created',
  'library.renamed': 'a library was renamed',
  'library.deleted': 'a library was deleted',
  'library.media_added': 'an item was added to a library',
  'library.media_removed': 'an item was removed from a library',
  'library.media_tagged': 'the library tags of an item changed',
  'library.member_added': 'a member joined a library',
  'library.member_removed': 'a member left a library or was removed',
  'library.member_role_changed': 'the role of a member changed',
  'library.ownership_transferred': 'a library has a new owner',
  'invitation.created': 'a person was invited',
  'invitation.accepted': 'an invitation was accepted',
  'invitation.declined': 'an invitation was declined',
  'invitation.revoked': 'an invitation was cancelled',
  'backfill.completed': 'all items of a library were added for a new member',
  'backfill.failed': 'the items of a library could not be added for a new member',
  'job.succeeded': 'a job succeeded',
  'job.failed': 'a job failed',
  'job.cancelled': 'a job was cancelled',
  'analysis.completed': 'an analysis is complete',
  'analysis.compared': 'an analysis was compared with a second one',
  'webhook.disabled': 'a webhook was disabled',
  'api_key.created': 'an API key was created',
  'api_key.disabled': 'an API key was disabled',
};

export const EVENT_TYPES = Object.keys(EVENT_DESCRIPTIONS) as EventType[];
