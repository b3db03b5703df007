import { useQueryClient } from '@tanstack/react-query';
import { api } from '../api/client.ts';
import { invalidate, queryKeys } from '../api/queries.ts';
import type { ListedMedia, Media, Mine } from '../api/types.ts';
import { type Action, changeAll, changeMany, type WholeList } from '../library/bulk.ts';
import { patchLists, patchMedia } from '../library/media-list.ts';
import type { LibraryRef } from '../library/removals.ts';
import { attempt } from '../ui/attempt.ts';
import { plural } from '../ui/numbers.ts';
import { showToast } from '../ui/toasts.tsx';
import { hasTag, withoutTag } from './tag-names.ts';

/** The media to change: the given ones, or everything that a list contains. */
type Target = readonly ListedMedia[] | WholeList;

interface TagChange {
  added: readonly string[];
  removed: readonly string[];
}

/** The fields of a media that the actions change. */
type Changing = Pick<ListedMedia, 'mine' | 'library_tags'>;

/** An action, the action that undoes it, and the fields of a media that it changes. */
interface Step {
  action: Action;
  undo: Action;
  change: (media: Changing) => Partial<Changing>;
}

const favouriteStep = (is: boolean): Step => ({
  action: { action: is ? 'favourite' : 'unfavourite' },
  undo: { action: is ? 'unfavourite' : 'favourite' },
  change: ({ mine }) => ({ mine: { ...mine, is_favourite: is } }),
});

const archiveStep = (is: boolean): Step => ({
  action: { action: is ? 'archive' : 'unarchive' },
  undo: { action: is ? 'unarchive' : 'archive' },
  change: ({ mine }) => ({ mine: { ...mine, is_archived: is } }),
});

/** Adds or removes a tag: the person's own, or one of a library. */
function tagStep(name: string, is: boolean, library?: LibraryRef): Step {
  const tags = [name];
  const [add, remove]: [Action, Action] = library
    ? [
        { action: 'library_tag', library_id: library.libraryId, tags },
        { action: 'library_untag', library_id: library.libraryId, tags },
      ]
    : [
        { action: 'tag', tags },
        { action: 'untag', tags },
      ];
  const changed = (names: readonly string[]) =>
    is && hasTag(names, name) ? [...names] : [...withoutTag(names, name), ...(is ? tags : [])];
  return {
    action: is ? add : remove,
    undo: is ? remove : add,
    change: ({ mine, library_tags = [] }) =>
      library ? { library_tags: changed(library_tags) } : { mine: { ...mine, tags: changed(mine.tags) } },
  };
}

/** The queries that show what a person keeps about media. */
const STALE = [
  queryKeys.mediaLists(),
  queryKeys.oneMedia(),
  queryKeys.searches(),
  queryKeys.tags(),
  queryKeys.libraryTags(),
  queryKeys.libraries(),
];

/** The actions on tags, favourites and the archive. Each offers Undo, and shows a toast when it fails. */
export function useMineActions() {
  const queryClient = useQueryClient();

  async function attemptAndRefetch(work: () => Promise<void>): Promise<void> {
    await attempt(work);
    await invalidate(queryClient, ...STALE);
  }

  /** Shows the changed fields of media. The tags of a library are shown in its own lists alone. */
  function show(media: readonly ListedMedia[], library: LibraryRef | undefined): void {
    for (const { id, mine, library_tags = [] } of media) {
      if (library) patchLists(queryClient, { id, library_tags }, queryKeys.mediaListsOf(library.libraryId));
      else patchMedia(queryClient, { id, mine });
    }
  }

  /** One request per step, so that Undo knows exactly which media each has changed. */
  async function take(target: Target, steps: readonly Step[], library?: LibraryRef) {
    const done: { undo: Action; ids: string[] }[] = [];
    const changed = new Set<string>();
    let known = isWhole(target) ? [] : [...target];
    for (const { action, undo, change } of steps) {
      const outcome = isWhole(target)
        ? await changeAll(action, target)
        : await changeMany(action, idsOf(target));
      const ids = outcome.changed_media.map(({ media_id }) => media_id);
      done.push({ undo, ids });
      for (const id of ids) changed.add(id);
      known = known.map((media) => ({ ...media, ...change(media) }));
      show(known, library);
    }
    const takeBack = async () => {
      for (const { undo, ids } of done.toReversed()) await changeMany(undo, ids);
      if (!isWhole(target)) show(target, library);
    };
    return { changed: changed.size, takeBack };
  }

  const carryOut = (
    target: Target,
    steps: readonly Step[],
    text: (items: string) => string,
    library?: LibraryRef,
  ) =>
    attemptAndRefetch(async () => {
      const { changed, takeBack } = await take(target, steps, library);
      const isOne = !isWhole(target) && target.length === 1;
      if (changed === 0) return showToast('Nothing was changed');
      showToast(text(isOne ? '' : plural(changed, 'item')), {
        action: { label: 'Undo', run: () => void attemptAndRefetch(takeBack) },
      });
    });

  return {
    favourite: (target: Target, is = true) =>
      carryOut(target, [favouriteStep(is)], (items) =>
        is ? `Added ${words(items, 'to favourites')}` : `Removed ${words(items, 'from favourites')}`,
      ),

    archive: (target: Target, is = true) =>
      carryOut(target, [archiveStep(is)], (items) => words(is ? 'Archived' : 'Unarchived', items)),

    /** Adds and removes the person's own tags or, with `library`, those that it gives its media. */
    retag: (target: Target, { added, removed }: TagChange, library?: LibraryRef) => {
      const steps = [
        ...added.map((name) => tagStep(name, true, library)),
        ...removed.map((name) => tagStep(name, false, library)),
      ];
      const text = (items: string) => {
        if (library) return words('Changed the tags', items && `of ${items}`, `in ${library.name}`);
        return items ? `Changed the tags of ${items}` : describe({ added, removed });
      };
      return carryOut(target, steps, text, library);
    },

    /** Writes the person's own title; null means the common one. */
    setTitle: async ({ id }: Media, title: string | null) => {
      const mine = await api.patchData<Mine>(`/media/${id}/mine`, { title });
      patchMedia(queryClient, { id, mine });
    },
  };
}

const isWhole = (target: Target): target is WholeList => 'params' in target;
const idsOf = (media: readonly Media[]) => media.map(({ id }) => id);
const words = (...parts: string[]) => parts.filter(Boolean).join(' ');

function describe({ added, removed }: TagChange): string {
  if (added.length > 0 && removed.length > 0) return 'Changed the tags';
  const names = [...added, ...removed].join(', ');
  const what = `${added.length + removed.length === 1 ? 'tag' : 'tags'} ${names}`;
  return added.length > 0 ? `Added the ${what}` : `Removed the ${what}`;
}
