import type { QueryClient } from '@tanstack/react-query';
import { request } from '../api/client.ts';
import { sentenceOf } from '../api/error.ts';
import type { Answer, Media, Provenance } from '../api/types.ts';
import { showToast } from '../ui/toasts.ts';
import { refreshLists } from './media-list.ts';

/** From where something is taken: one's own library, or a shared one. */
export interface RemovalPlace {
  libraryId: string;
  isDefault: boolean;
  name: string;
}

interface Removal {
  place: RemovalPlace;
  ids: readonly string[];
}

/** Where one page leaves to the next what it has just sent. */
const SENT = 'nexus.removals';
const SETTLE_MS = 10_000;

/**
 * What was removed on the screen and not yet in Nexus: it waits for as long as Undo is offered. Leaving the page sends
 * it at once.
 */
let waiting: readonly Removal[] = sentOnLeaving();
const watchers = new Set<() => void>();

/** What the page before this one sent as it was left may not have arrived yet: it stays hidden for a moment. */
function sentOnLeaving(): Removal[] {
  const sent: Removal[] = JSON.parse(sessionStorage.getItem(SENT) ?? '[]');
  sessionStorage.removeItem(SENT);
  if (sent.length > 0) {
    setTimeout(() => publish(waiting.filter((removal) => !sent.includes(removal))), SETTLE_MS);
  }
  return sent;
}

function publish(next: readonly Removal[]): void {
  waiting = next;
  for (const watcher of watchers) watcher();
}

export const removalStore = {
  subscribe(watcher: () => void): () => void {
    watchers.add(watcher);
    return () => watchers.delete(watcher);
  },
  get: () => waiting,
};

export function hiddenIn(removals: readonly Removal[], libraryId: string): ReadonlySet<string> {
  return new Set(removals.filter(({ place }) => place.libraryId === libraryId).flatMap(({ ids }) => ids));
}

export function removeWithUndo(queryClient: QueryClient, media: readonly Media[], place: RemovalPlace): void {
  const removal: Removal = { place, ids: media.map(({ id }) => id) };
  publish([...waiting, removal]);
  const what = media.length === 1 ? `"${shorten(media[0]?.title ?? '')}"` : `${media.length} items`;
  const where = place.isDefault
    ? `your library. You can restore ${media.length === 1 ? 'it' : 'them'} from the trash.`
    : place.name;
  showToast(`Removed ${what} from ${where}`, {
    action: { label: 'Undo', run: () => publish(waiting.filter((other) => other !== removal)) },
    onExpire: () => void carryOut(queryClient, removal),
  });
}

async function carryOut(queryClient: QueryClient, removal: Removal): Promise<void> {
  if (!waiting.includes(removal)) return;
  const results = await Promise.allSettled(removal.ids.map((id) => send(removal.place, id, false)));
  const refused = results.find((result) => result.status === 'rejected');
  if (refused) showToast(`Not everything could be removed. ${sentenceOf(refused.reason)}`);
  else if (removal.place.isDefault && removal.ids.length === 1) await explainWhatStays(removal.ids[0] ?? '');
  refreshLists(queryClient);
  void queryClient.invalidateQueries({ queryKey: ['libraries'] });
  void queryClient.invalidateQueries({ queryKey: ['trash'] });
  publish(waiting.filter((other) => other !== removal));
}

function send({ libraryId, isDefault }: RemovalPlace, id: string, keepalive: boolean): Promise<void> {
  const path = isDefault ? `/media/${id}` : `/libraries/${libraryId}/media/${id}`;
  return request('DELETE', path, { keepalive });
}

/** What also comes through a shared library stays; better to say so than to let it come back without a word. */
async function explainWhatStays(id: string): Promise<void> {
  const answer = await request<Answer<Provenance>>('GET', `/media/${id}/provenance`).catch(() => undefined);
  const [library] = answer?.data.libraries ?? [];
  if (library) showToast(`It stays in your library because it is also in ${library.name}.`);
}

window.addEventListener('pagehide', () => {
  for (const { place, ids } of waiting) {
    // Nobody is there any more to hear that it failed.
    for (const id of ids) send(place, id, true).catch(() => {});
  }
  sessionStorage.setItem(SENT, JSON.stringify(waiting));
  publish([]);
});

function shorten(title: string): string {
  return title.length > 40 ? `${title.slice(0, 39)}…` : title;
}
