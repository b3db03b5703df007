import type { QueryClient } from '@tanstack/react-query';
import { eventStream, type StreamEvent } from '../api/events.ts';
import { refreshLists, refreshMedia } from '../library/media-list.ts';
import { librariesQuery } from '../library/queries.ts';

const GATHER_MS = 150;

/** Which answers an event makes old, as beginnings of query keys. */
function staleAfter({ type, data }: StreamEvent): string[][] {
  if (type === 'media.ready' || type === 'media.failed') {
    const id = (data as { media_id: string }).media_id;
    return [['media', 'list'], ['media', 'one', id], ['media', 'attempts', id], ['libraries']];
  }
  if (type.startsWith('media.') || type.startsWith('library.media')) {
    const id = (data as { media_id: string }).media_id;
    return [
      ['media', 'list'],
      ['media', 'one', id],
      ['media', 'provenance', id],
      ['libraries'],
      ['trash'],
      ['storage'],
    ];
  }
  if (type.startsWith('library.') || type.startsWith('backfill.'))
    return [['libraries'], ['members'], ['media', 'list']];
  if (type.startsWith('invitation.')) return [['invitations'], ['members'], ['libraries']];
  if (type.startsWith('job.')) return [['jobs']];
  if (type.startsWith('webhook.')) return [['webhooks']];
  if (type.startsWith('api_key.')) return [['api-keys']];
  return [];
}

/** Keeps what is on the screen true while the app is open: follows the event stream, and the person's libraries. */
export function followEvents(queryClient: QueryClient): () => void {
  const gathered = new Map<string, string[]>();
  let timer: ReturnType<typeof setTimeout> | undefined;

  const flush = () => {
    timer = undefined;
    const keys = [...gathered.values()];
    gathered.clear();
    for (const queryKey of keys) {
      if (queryKey[1] === 'list') refreshLists(queryClient);
      else void queryClient.invalidateQueries({ queryKey });
    }
  };
  const stopHearing = eventStream.on((event) => {
    for (const key of staleAfter(event)) gathered.set(key.join('/'), key);
    if (event.type === 'media.ready' || event.type === 'media.failed') {
      refreshMedia(queryClient, (event.data as { media_id: string }).media_id).catch(() => {
        // It went while it was asked for; the lists tell.
      });
    }
    timer ??= setTimeout(flush, GATHER_MS);
  });

  // A library that has come or gone takes media with it; one that has grown or shrunk has another list.
  let known: string | undefined;
  let counts: string | undefined;
  const stopWatching = queryClient.getQueryCache().subscribe(({ query, type }) => {
    if (type !== 'updated' || query.queryKey[0] !== 'libraries' || query.queryKey.length !== 1) return;
    const libraries = queryClient.getQueryData(librariesQuery.queryKey);
    const now = libraries
      ?.map(({ id, role }) => `${id}${role}`)
      .toSorted()
      .join();
    const sizes = libraries?.map(({ id, media_count }) => `${id}${media_count}`).join();
    if (counts !== undefined && sizes !== counts) refreshLists(queryClient);
    counts = sizes;
    if (now === undefined || now === known) return;
    const isFirst = known === undefined;
    known = now;
    if (!isFirst) void queryClient.invalidateQueries({ queryKey: ['media'] });
  });

  eventStream.open();
  return () => {
    clearTimeout(timer);
    stopHearing();
    stopWatching();
    eventStream.close();
  };
}
