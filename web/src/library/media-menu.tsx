import { useQuery, useQueryClient } from '@tanstack/react-query';
import {
  Archive,
  ArchiveRestore,
  Circle,
  CircleCheck,
  CircleDashed,
  CircleHelp,
  Download,
  EllipsisVertical,
  ExternalLink,
  FolderPlus,
  PenLine,
  RotateCcw,
  ScrollText,
  SquareCheck,
  Star,
  StarOff,
  StickyNote,
  Tags,
  Trash2,
  UsersRound,
} from 'lucide-react';
import type { ReactNode } from 'react';
import { apiUrl } from '../api/client.ts';
import type { ListedMedia } from '../api/types.ts';
import { useMineActions } from '../mine/actions.ts';
import { editLibraryTags, editTags, showNote } from '../mine/mine-dialogs.tsx';
import { downloadFrom } from '../transfer/download.ts';
import { IconButton } from '../ui/button.tsx';
import { Menu, MenuItem, MenuLabel, MenuSeparator } from '../ui/menu.tsx';
import { useMediaActions } from './actions.ts';
import { stageOf, titleOf } from './format.ts';
import { addToLibrary, editTitle, explain, showAttempts } from './item-dialogs.tsx';
import { writableLibrariesQuery } from './queries.ts';
import { type LibraryRef, removeWithUndo } from './removals.ts';

/** With more libraries than this, they are in a dialog. */
const MOST_INLINE = 4;

interface MediaMenuProps {
  media: ListedMedia;
  /** The library that Remove removes it from; without it, Remove is not offered. */
  removeFrom?: LibraryRef | undefined;
  onRemoved?: () => void;
  /** The shared library that is listed, if the person may set its tags. */
  tagIn?: LibraryRef | undefined;
  /** In lists: selects or deselects it. */
  onSelect?: () => void;
  /** Replaces the usual action of Mark as unread. */
  onUnread?: () => void;
  /** Further items, at the top. */
  children?: ReactNode;
}

export function MediaMenu(props: MediaMenuProps) {
  const { media, removeFrom, onRemoved, tagIn, onSelect, onUnread, children } = props;
  const queryClient = useQueryClient();
  const actions = useMediaActions();
  const { data: targets = [] } = useQuery(writableLibrariesQuery);
  const mineActions = useMineActions();
  const isFinished = media.reading?.finished_at != null;
  const { is_favourite, is_archived, note } = media.mine;
  const stage = stageOf(media);
  const original = media.canonical_url ?? media.requested_url;
  return (
    <Menu
      trigger={
        <IconButton
          label={`Actions for ${titleOf(media)}`}
          icon={EllipsisVertical}
          size="small"
          withTooltip={false}
        />
      }
    >
      {children}
      {media.capabilities.can_read && (
        <MenuItem
          label={isFinished ? 'Mark as not finished' : 'Mark as finished'}
          icon={isFinished ? CircleDashed : CircleCheck}
          shortcut="e"
          onSelect={() => void actions.finish([media], !isFinished)}
        />
      )}
      {media.reading && (
        <MenuItem
          label="Mark as unread"
          icon={Circle}
          shortcut="u"
          onSelect={onUnread ?? (() => void actions.unread([media]))}
        />
      )}
      <MenuItem
        label={is_favourite ? 'Remove from favourites' : 'Add to favourites'}
        icon={is_favourite ? StarOff : Star}
        shortcut="f"
        onSelect={() => void mineActions.favourite([media], !is_favourite)}
      />
      <MenuItem
        label={is_archived ? 'Unarchive' : 'Archive'}
        icon={is_archived ? ArchiveRestore : Archive}
        shortcut="y"
        onSelect={() => void mineActions.archive([media], !is_archived)}
      />
      <MenuItem label="Edit tags" icon={Tags} shortcut="t" onSelect={() => editTags([media])} />
      {tagIn && (
        <MenuItem
          label="Edit library tags"
          icon={UsersRound}
          onSelect={() => editLibraryTags([media], tagIn)}
        />
      )}
      <MenuItem
        label={note === null ? 'Add note' : 'Show note'}
        icon={StickyNote}
        onSelect={() => showNote(media)}
      />
      {onSelect && <MenuItem label="Select" icon={SquareCheck} shortcut="x" onSelect={onSelect} />}
      {media.may_retry && (
        <MenuItem label="Retry" icon={RotateCcw} onSelect={() => void actions.retry(media)} />
      )}
      {stage !== 'ready' && (
        <MenuItem label="Show attempts" icon={ScrollText} onSelect={() => showAttempts(media)} />
      )}
      <MenuItem label="Edit title" icon={PenLine} onSelect={() => editTitle(media)} />
      <MenuItem label="Why do I see this?" icon={CircleHelp} onSelect={() => explain(media)} />
      {original && (
        <MenuItem
          label="Open original"
          icon={ExternalLink}
          onSelect={() => window.open(original, '_blank', 'noopener,noreferrer')}
        />
      )}
      {media.capabilities.can_quote && (
        <MenuItem
          label="Download as Markdown"
          icon={Download}
          onSelect={() => downloadFrom(apiUrl(`/media/${media.id}/export`))}
        />
      )}
      {targets.length > 0 && <MenuSeparator />}
      {targets.length > MOST_INLINE ? (
        <MenuItem label="Add to library…" icon={FolderPlus} onSelect={() => addToLibrary(media)} />
      ) : (
        targets.length > 0 && (
          <>
            <MenuLabel>Add to</MenuLabel>
            {targets.map((library) => (
              <MenuItem
                label={library.name}
                key={library.id}
                icon={FolderPlus}
                onSelect={() => void actions.addTo(library, [media])}
              />
            ))}
          </>
        )
      )}
      {removeFrom && (
        <>
          <MenuSeparator />
          <MenuItem
            label={removeFrom.isDefault ? 'Remove from my library' : `Remove from ${removeFrom.name}`}
            icon={Trash2}
            danger
            onSelect={() => {
              removeWithUndo(queryClient, [media], removeFrom);
              onRemoved?.();
            }}
          />
        </>
      )}
    </Menu>
  );
}
