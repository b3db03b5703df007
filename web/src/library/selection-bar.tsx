import { useQuery, useQueryClient } from '@tanstack/react-query';
import {
  Archive,
  ArchiveRestore,
  Circle,
  CircleCheck,
  CircleDashed,
  FolderPlus,
  type LucideIcon,
  RotateCcw,
  Star,
  StarOff,
  Tags,
  Trash2,
  UsersRound,
  X,
} from 'lucide-react';
import { useState } from 'react';
import type { Library, ListedMedia } from '../api/types.ts';
import { useMineActions } from '../mine/actions.ts';
import { editLibraryTags, editTags } from '../mine/mine-dialogs.tsx';
import { Button, IconButton } from '../ui/button.tsx';
import { ConfirmDialog } from '../ui/dialog.tsx';
import { Menu, MenuItem } from '../ui/menu.tsx';
import { count, plural } from '../ui/numbers.ts';
import { Tooltip } from '../ui/tooltip.tsx';
import { useMediaActions } from './actions.ts';
import type { WholeList } from './bulk.ts';
import { writableLibrariesQuery } from './queries.ts';
import { type LibraryRef, mayRemove, removeWithUndo } from './removals.ts';

interface SelectionBarProps {
  selected: readonly ListedMedia[];
  total: number;
  /** Set when everything is selected, including items that are not loaded. */
  whole: WholeList | undefined;
  removeFrom: LibraryRef | undefined;
  onSelectAll: () => void;
  onDone: () => void;
}

/** An action on everything, which the person is asked about. */
interface Question {
  title: string;
  action: string;
  danger?: boolean;
  text: string;
  run: () => Promise<void>;
}

interface MarkProps {
  label: string;
  shortcut: string;
  icon: LucideIcon;
  action: string;
  onClick: () => void;
}

/** A button without a word: with the words of all of them, the bar would have two lines. */
function Mark({ label, shortcut, icon, action, onClick }: MarkProps) {
  return (
    <Tooltip label={label} shortcut={shortcut}>
      <Button
        size="small"
        className="selection-mark"
        icon={icon}
        aria-label={label}
        data-action={action}
        onClick={onClick}
      />
    </Tooltip>
  );
}

export function SelectionBar(props: SelectionBarProps) {
  const { selected, total, whole, removeFrom, onSelectAll, onDone } = props;
  const queryClient = useQueryClient();
  const actions = useMediaActions();
  const mineActions = useMineActions();
  const { data: targets = [] } = useQuery(writableLibrariesQuery);
  const [question, setQuestion] = useState<Question>();
  const [isBusy, setBusy] = useState(false);
  const retriable = selected.filter(({ may_retry }) => may_retry);
  const removable = removeFrom ? selected.filter((media) => mayRemove(media, removeFrom)) : [];
  const begun = selected.filter(({ reading }) => reading !== null);
  const items = plural(whole?.total ?? selected.length, 'item');

  const after = (work: void | Promise<void>) => {
    void work;
    onDone();
  };
  const carryOut = async ({ run }: Question) => {
    setBusy(true);
    await run();
    setBusy(false);
    setQuestion(undefined);
    onDone();
  };

  const isFinished = selected.every(({ reading }) => reading?.finished_at != null);
  const finish = () => {
    if (!whole) return after(actions.finish(selected, !isFinished));
    setQuestion({
      title: isFinished ? `Mark ${items} as not finished?` : `Mark ${items} as finished?`,
      action: isFinished ? 'Mark as not finished' : 'Mark as finished',
      text: 'This includes items that are not loaded.',
      run: () => actions.markAll(whole, isFinished ? 'unfinish' : 'finish'),
    });
  };
  const unread = () => {
    if (!whole) return after(actions.unread(begun));
    setQuestion({
      title: `Mark ${items} as unread?`,
      action: 'Mark as unread',
      text: 'You lose your place in all of them, including items that are not loaded.',
      run: () => actions.markAll(whole, 'unread'),
    });
  };
  const isFavourite = selected.every(({ mine }) => mine.is_favourite);
  const isArchived = selected.every(({ mine }) => mine.is_archived);
  const favourite = () => {
    if (!whole) return after(mineActions.favourite(selected, !isFavourite));
    setQuestion({
      title: isFavourite ? `Remove ${items} from favourites?` : `Add ${items} to favourites?`,
      action: isFavourite ? 'Remove' : 'Add',
      text: 'This includes items that are not loaded.',
      run: () => mineActions.favourite(whole, !isFavourite),
    });
  };
  const archive = () => {
    if (!whole) return after(mineActions.archive(selected, !isArchived));
    setQuestion({
      title: isArchived ? `Unarchive ${items}?` : `Archive ${items}?`,
      action: isArchived ? 'Unarchive' : 'Archive',
      text: 'This includes items that are not loaded.',
      run: () => mineActions.archive(whole, !isArchived),
    });
  };
  const addTo = (library: Library) => {
    if (!whole) return after(actions.addTo(library, selected));
    setQuestion({
      title: `Add ${items} to ${library.name}?`,
      action: 'Add',
      text: 'All members of the library can read them immediately.',
      run: () => actions.addAllTo(whole, library),
    });
  };
  const remove = (from: LibraryRef) => {
    if (!whole) return after(removeWithUndo(queryClient, removable, from));
    const lost = 'Members who have not saved them lose access immediately.';
    setQuestion({
      title: from.onlyAddedBy
        ? `Remove the items that you added to ${from.name}?`
        : `Remove ${items} from ${from.name}?`,
      action: 'Remove',
      danger: true,
      text: from.isDefault ? 'You can restore them from the trash.' : lost,
      run: () => actions.removeAll(whole, from),
    });
  };

  return (
    <div className="selection-bar" role="toolbar" aria-label="Selected items">
      <span className="grow" role="status">
        {whole ? `All ${count(whole.total)} selected` : `${count(selected.length)} selected`}
      </span>
      {!whole && selected.length < total && (
        <Button size="small" look="ghost" onClick={onSelectAll}>
          Select all {count(total)}
        </Button>
      )}
      <Mark
        label={isFinished ? 'Mark as not finished' : 'Mark as finished'}
        shortcut="e"
        icon={isFinished ? CircleDashed : CircleCheck}
        action="finish"
        onClick={finish}
      />
      {(whole || begun.length > 0) && (
        <Mark label="Mark as unread" shortcut="u" icon={Circle} action="unread" onClick={unread} />
      )}
      <Mark
        label={isFavourite ? 'Remove from favourites' : 'Add to favourites'}
        shortcut="f"
        icon={isFavourite ? StarOff : Star}
        action="favourite"
        onClick={favourite}
      />
      <Mark
        label={isArchived ? 'Unarchive' : 'Archive'}
        shortcut="y"
        icon={isArchived ? ArchiveRestore : Archive}
        action="archive"
        onClick={archive}
      />
      <Button size="small" icon={Tags} data-action="tags" onClick={() => editTags(selected, whole)}>
        <span className="button-word">Tags</span>
      </Button>
      {removeFrom && !removeFrom.isDefault && (
        <Button
          size="small"
          icon={UsersRound}
          data-action="library-tags"
          onClick={() => editLibraryTags(selected, removeFrom, whole)}
        >
          <span className="button-word">Library tags</span>
        </Button>
      )}
      {targets.length > 0 && (
        <Menu
          trigger={
            <Button size="small" icon={FolderPlus}>
              <span className="button-word">Add to…</span>
            </Button>
          }
        >
          {targets.map((library) => (
            <MenuItem label={library.name} key={library.id} onSelect={() => addTo(library)} />
          ))}
        </Menu>
      )}
      {!whole && retriable.length > 0 && (
        <Button size="small" icon={RotateCcw} onClick={() => after(actions.retryMany(retriable))}>
          <span className="button-word">Retry {retriable.length}</span>
        </Button>
      )}
      {removeFrom && (whole || removable.length > 0) && (
        <Button
          size="small"
          look="danger"
          icon={Trash2}
          data-action="remove"
          onClick={() => remove(removeFrom)}
        >
          <span className="button-word">
            Remove{!whole && removable.length < selected.length && ` ${removable.length}`}
          </span>
        </Button>
      )}
      <IconButton label="Clear selection" shortcut="Esc" icon={X} size="small" onClick={onDone} />
      {question && (
        <ConfirmDialog
          title={question.title}
          action={question.action}
          danger={question.danger ?? false}
          busy={isBusy}
          onConfirm={() => void carryOut(question)}
          onClose={() => setQuestion(undefined)}
        >
          <p>{question.text}</p>
        </ConfirmDialog>
      )}
    </div>
  );
}
