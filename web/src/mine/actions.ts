import { useQueryClient } from '@tanstack/react-query';
import { api, errorMessage } from '../api/client.ts';
import { invalidate, queryKeys } from '../api/queries.ts';
import type { Media, Mine } from '../api/types.ts';
import { type Action, changeAll, changeMany, type WholeList } from '../library/bulk.ts';
import { patchMedia } from '../library/media-list.ts';
import { plural } from '../ui/numbers.ts';
import { showToast } from '../ui/toasts.tsx';
import { hasTag, withoutTag } from './tag-names.ts';

/** The media to change: the given ones, or everything that a list contains. */
type Target = readonly Media[] | WholeList;

interface TagChange {
  added: readonly string[];
  removed: readonly string[];
}

/** An action on one kind of thing that is kept about media, its opposite, and what it changes. */
interface Step {
  action: Action;
  undo: Action;
  change: (mine: Mine) => Mine;
}

const favouriteStep = (is: boolean): Step => ({
  action: { action: is ? 'favourite' : 'unfavourite' },
  undo: { action: is ? 'unfavourite' : 'favourite' },
  change: (mine) => ({ ...mine, is_favourite: is }),
});

const archiveStep = (is: boolean): Step => ({
  action: { action: is ? 'archive' : 'unarchive' },
  undo: { action: is ? 'unarchive' : 'archive' },
  change: (mine) => ({ ...mine, is_archived: is }),
});

const addStep = (name: string): Step => ({
  action: { action: 'tag', tags: [name] },
  undo: { action: 'untag', tags: [name] },
  change: (mine) => (hasTag(mine.tags, name) ? mine : { ...mine, tags: [...mine.tags, name] }),
});

const removeStep = (name: string): Step => ({
  action: { action: 'untag', tags: [name] },
  undo: { action: 'tag', tags: [name] },
  change: (mine) => ({ ...mine, tags: withoutTag(mine.tags, name) }),
});

/** The queries that show what a person keeps about media. */
const STALE = [
  queryKeys.mediaLists(),
  queryKeys.oneMedia(),
  queryKeys.searches(),
  queryKeys.tags(),
  queryKeys.libraries(),
];

/** The actions on tags, favourites and the archive. Each offers Undo, and shows a toast when it fails. */
export function useMineActions() {
  const queryClient = useQueryClient();

  async function attempt(work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (error) {
      showToast(errorMessage(error));
    }
    await invalidate(queryClient, ...STALE);
  }

  /** One request per step, so that Undo knows exactly which media each has changed. */
  async function take(target: Target, steps: readonly Step[]) {
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
      known = known.map((media) => ({ ...media, mine: change(media.mine) }));
      for (const { id, mine } of known) patchMedia(queryClient, { id, mine });
    }
    const takeBack = async () => {
      for (const { undo, ids } of done.toReversed()) await changeMany(undo, ids);
      if (!isWhole(target)) for (const { id, mine } of target) patchMedia(queryClient, { id, mine });
    };
    return { changed: changed.size, takeBack };
  }

  const carryOut = (target: Target, steps: readonly Step[], text: (items: string) => string) =>
    attempt(async () => {
      const { changed, takeBack } = await take(target, steps);
      const isOne = !isWhole(target) && target.length === 1;
      showToast(text(isOne ? '' : plural(changed, 'item')), {
        ...(changed > 0 && { action: { label: 'Undo', run: () => void attempt(takeBack) } }),
      });
    });

  return {
    favourite: (target: Target, is = true) =>
      carryOut(target, [favouriteStep(is)], (items) =>
        is ? `Added ${words(items, 'to favourites')}` : `Removed ${words(items, 'from favourites')}`,
      ),

    archive: (target: Target, is = true) =>
      carryOut(target, [archiveStep(is)], (items) =>
        is ? `Archived ${items}`.trim() : `Moved ${words(items, 'out of the archive')}`,
      ),

    retag: (target: Target, { added, removed }: TagChange) =>
      carryOut(target, [...added.map(addStep), ...removed.map(removeStep)], (items) =>
        items ? `Changed the tags of ${items}` : describe({ added, removed }),
      ),

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
