import type { Media } from '../api/types.ts';
import { type Shortcut, useShortcuts } from '../keyboard/shortcuts.ts';
import type { WholeList } from '../library/bulk.ts';
import { useMineActions } from './actions.ts';
import { editTags } from './mine-dialogs.tsx';

interface Acting {
  media: readonly Media[];
  /** Set when everything that a list contains is selected. */
  whole?: WholeList | undefined;
  /** Asks before an action on everything. */
  onWhole?: (action: 'favourite' | 'archive') => void;
}

/** The keys of tags, favourites and the archive, for the item that is read, or those that are focused or selected. */
export function useMineShortcuts(group: Shortcut['group'], acting: () => Acting): void {
  const actions = useMineActions();
  const favourite = () => {
    const { media, whole, onWhole } = acting();
    if (whole) return onWhole?.('favourite');
    if (media.length > 0)
      void actions.favourite(
        media,
        media.some(({ mine }) => !mine.is_favourite),
      );
  };
  const archive = () => {
    const { media, whole, onWhole } = acting();
    if (whole) return onWhole?.('archive');
    if (media.length > 0)
      void actions.archive(
        media,
        media.some(({ mine }) => !mine.is_archived),
      );
  };
  const tag = () => {
    const { media, whole } = acting();
    editTags(media, whole);
  };
  useShortcuts([
    { keys: 't', label: 'Edit tags', group, run: tag },
    { keys: 'f', label: 'Add to or remove from favourites', group, run: favourite },
    { keys: 'y', label: 'Archive or unarchive', group, run: archive },
  ]);
}
