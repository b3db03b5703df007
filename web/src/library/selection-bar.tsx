import { useQuery, useQueryClient } from '@tanstack/react-query';
import {
  Archive,
  Circle,
  CircleCheck,
  FolderPlus,
  RotateCcw,
  Star,
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

  const finish = () => {
    if (!whole) return after(actions.finish(selected));
    setQuestion({
      title: `Mark ${items} as finished?`,
      action: 'Mark as finished',
      text: 'This includes items that are not loaded.',
      run: () => actions.markAll(whole, 'finish'),
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
      title: isArchived ? `Move ${items} out of the archive?` : `Archive ${items}?`,
      action: isArchived ? 'Move' : 'Archive',
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
      <Button size="small" icon={CircleCheck} data-action="finish" onClick={finish}>
        <span className="button-word">Finish</span>
      </Button>
      {(whole || begun.length > 0) && (
        <Button size="small" icon={Circle} data-action="unread" onClick={unread}>
          <span className="button-word">Unread</span>
        </Button>
      )}
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
      <Button size="small" icon={Star} data-action="favourite" onClick={favourite}>
        <span className="button-word">{isFavourite ? 'Unfavourite' : 'Favourite'}</span>
      </Button>
      <Button size="small" icon={Archive} data-action="archive" onClick={archive}>
        <span className="button-word">{isArchived ? 'Unarchive' : 'Archive'}</span>
      </Button>
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
