import type { QueryClient } from '@tanstack/react-query';
import { api, errorMessage } from '../api/client.ts';
import { invalidate, queryKeys } from '../api/queries.ts';
import { createStore } from '../api/store.ts';
import type { ListedMedia, Media, Provenance } from '../api/types.ts';
import { showToast } from '../ui/toasts.tsx';
import { changeMany } from './bulk.ts';
import { titleOf } from './format.ts';
import { dropFromLists } from './media-list.ts';

export interface LibraryRef {
  libraryId: string;
  isDefault: boolean;
  name: string;
  /** A contributor's id: they may remove only what they added. */
  onlyAddedBy?: string | undefined;
}

/** Whether the person may remove an item of a list from its library. */
export function mayRemove({ added_by_user_id }: ListedMedia, { onlyAddedBy }: LibraryRef): boolean {
  return onlyAddedBy === undefined || added_by_user_id === onlyAddedBy;
}

interface Removal {
  library: LibraryRef;
  ids: readonly string[];
}

/** The sessionStorage key of removals that were sent while the page was being left. */
const SENT_KEY = 'nexus.removals';
const SETTLE_MS = 10_000;

/**
 * Items that are removed on the screen but not yet on the server: the request is sent when Undo is no longer offered, or
 * when the page is left.
 */
export const removalStore = createStore<readonly Removal[]>(takeSent());

/** Removals that the previous page sent while it was being left may not have arrived yet, so they stay hidden for a while. */
function takeSent(): Removal[] {
  const sent: Removal[] = JSON.parse(sessionStorage.getItem(SENT_KEY) ?? '[]');
  sessionStorage.removeItem(SENT_KEY);
  if (sent.length > 0) setTimeout(() => sent.forEach(forget), SETTLE_MS);
  return sent;
}

function forget(removal: Removal): void {
  removalStore.set((removals) => removals.filter((other) => other !== removal));
}

export function hiddenIn(removals: readonly Removal[], libraryId: string): ReadonlySet<string> {
  return new Set(removals.filter(({ library }) => library.libraryId === libraryId).flatMap(({ ids }) => ids));
}

export function removeWithUndo(queryClient: QueryClient, media: readonly Media[], library: LibraryRef): void {
  const removal: Removal = { library, ids: media.map(({ id }) => id) };
  removalStore.set((removals) => [...removals, removal]);
  const what =
    media.length === 1 ? `"${shorten(media[0] ? titleOf(media[0]) : '')}"` : `${media.length} items`;
  const where = library.isDefault
    ? `your library. You can restore ${media.length === 1 ? 'it' : 'them'} from the trash.`
    : library.name;
  showToast(`Removed ${what} from ${where}`, {
    action: { label: 'Undo', run: () => forget(removal) },
    onExpire: () => void carryOut(queryClient, removal),
  });
}

async function carryOut(queryClient: QueryClient, removal: Removal): Promise<void> {
  if (!removalStore.get().includes(removal)) return;
  const { library, ids } = removal;
  try {
    await send(removal, false);
    const stays = library.isDefault && ids.length === 1 && (await explainWhyItStays(ids[0] ?? ''));
    if (!stays) dropFromLists(queryClient, library.libraryId, ids);
  } catch (error) {
    showToast(`Some items could not be removed. ${errorMessage(error)}`);
  }
  // Until the lists are fetched, the items stay hidden.
  await invalidate(queryClient, queryKeys.mediaLists(), queryKeys.libraries(), queryKeys.trash());
  forget(removal);
}

/** Sends all removals at once, because the person signs out. */
export async function sendRemovals(): Promise<void> {
  const removals = removalStore.get();
  await Promise.all(removals.map((removal) => send(removal, false)));
  removalStore.set((kept) => kept.filter((removal) => !removals.includes(removal)));
}

async function send({ library, ids }: Removal, keepalive: boolean): Promise<void> {
  await changeMany({ action: 'remove', library_id: library.libraryId }, ids, { keepalive });
}

/** An item that is also in a shared library stays visible after it is removed. Then the reason is shown. */
async function explainWhyItStays(id: string): Promise<boolean> {
  const provenance = await api.getData<Provenance>(`/media/${id}/provenance`).catch(() => undefined);
  const [library] = provenance?.libraries ?? [];
  if (library) showToast(`It stays in your library because it is also in ${library.name}.`);
  return library !== undefined;
}

window.addEventListener('pagehide', () => {
  const removals = removalStore.get();
  // The page is gone, so a failure cannot be shown.
  for (const removal of removals) send(removal, true).catch(() => {});
  sessionStorage.setItem(SENT_KEY, JSON.stringify(removals));
  removalStore.set([]);
});

function shorten(title: string): string {
  return title.length > 40 ? `${title.slice(0, 39)}…` : title;
}
