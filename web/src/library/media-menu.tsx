import { useQuery, useQueryClient } from '@tanstack/react-query';
import {
  Circle,
  CircleCheck,
  CircleDashed,
  CircleHelp,
  Download,
  EllipsisVertical,
  ExternalLink,
  FolderPlus,
  RotateCcw,
  ScrollText,
  SquareCheck,
  Trash2,
} from 'lucide-react';
import type { Media } from '../api/types.ts';
import { downloadFrom } from '../transfer/download.ts';
import { IconButton } from '../ui/button.tsx';
import { Menu, MenuItem, MenuLabel, MenuSeparator } from '../ui/menu.tsx';
import { useMediaActions } from './actions.ts';
import { useItemDialogs } from './item-dialogs.tsx';
import { writableLibrariesQuery } from './queries.ts';
import { type LibraryRef, removeWithUndo } from './removals.ts';
import { stageOf } from './stage.ts';

export interface MediaMenuProps {
  media: Media;
  /** The library that Remove removes it from; without it, Remove is not offered. */
  removeFrom?: LibraryRef | undefined;
  onRemoved?: () => void;
  /** In lists: selects or deselects it. */
  onSelect?: () => void;
  /** Replaces the usual action of Mark as unread. */
  onUnread?: () => void;
}

/** The menu with all actions on one media. */
export function MediaMenu({ media, removeFrom, onRemoved, onSelect, onUnread }: MediaMenuProps) {
  const queryClient = useQueryClient();
  const actions = useMediaActions();
  const { explain, showAttempts } = useItemDialogs();
  const { data: targets = [] } = useQuery(writableLibrariesQuery);
  const isFinished = media.reading?.finished_at != null;
  const stage = stageOf(media);
  const original = media.canonical_url ?? media.requested_url;
  return (
    <Menu
      trigger={
        <IconButton
          label={`Actions for ${media.title}`}
          icon={EllipsisVertical}
          size="small"
          withTooltip={false}
        />
      }
    >
      {media.capabilities.can_read && (
        <MenuItem
          icon={isFinished ? CircleDashed : CircleCheck}
          shortcut="e"
          onSelect={() => void actions.finish([media], !isFinished)}
        >
          {isFinished ? 'Mark as not finished' : 'Mark as finished'}
        </MenuItem>
      )}
      {media.reading && (
        <MenuItem icon={Circle} shortcut="u" onSelect={onUnread ?? (() => void actions.unread([media]))}>
          Mark as unread
        </MenuItem>
      )}
      {onSelect && (
        <MenuItem icon={SquareCheck} shortcut="x" onSelect={onSelect}>
          Select
        </MenuItem>
      )}
      {media.may_retry && (
        <MenuItem icon={RotateCcw} onSelect={() => void actions.retry(media)}>
          Retry
        </MenuItem>
      )}
      {stage !== 'ready' && (
        <MenuItem icon={ScrollText} onSelect={() => showAttempts(media)}>
          Show attempts
        </MenuItem>
      )}
      <MenuItem icon={CircleHelp} onSelect={() => explain(media)}>
        Why do I see this?
      </MenuItem>
      {original && (
        <MenuItem icon={ExternalLink} onSelect={() => window.open(original, '_blank', 'noopener,noreferrer')}>
          Open original
        </MenuItem>
      )}
      {media.capabilities.can_quote && (
        <MenuItem icon={Download} onSelect={() => downloadFrom(`/media/${media.id}/export`)}>
          Download as Markdown
        </MenuItem>
      )}
      {targets.length > 0 && (
        <>
          <MenuSeparator />
          <MenuLabel>Add to</MenuLabel>
          {targets.slice(0, 8).map((library) => (
            <MenuItem
              key={library.id}
              icon={FolderPlus}
              onSelect={() => void actions.addTo(library, [media])}
            >
              {library.name}
            </MenuItem>
          ))}
        </>
      )}
      {removeFrom && (
        <>
          <MenuSeparator />
          <MenuItem
            icon={Trash2}
            danger
            onSelect={() => {
              removeWithUndo(queryClient, [media], removeFrom);
              onRemoved?.();
            }}
          >
            {removeFrom.isDefault ? 'Remove from my library' : `Remove from ${removeFrom.name}`}
          </MenuItem>
        </>
      )}
    </Menu>
  );
}
