import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Circle, CircleCheck, FolderPlus, RotateCcw, Trash2, X } from 'lucide-react';
import type { Media } from '../api/types.ts';
import { Button, IconButton } from '../ui/button.tsx';
import { Menu, MenuItem } from '../ui/menu.tsx';
import { useMediaActions } from './actions.ts';
import { writableLibrariesQuery } from './queries.ts';
import { type LibraryRef, removeWithUndo } from './removals.ts';

interface SelectionBarProps {
  selected: readonly Media[];
  removeFrom: LibraryRef | undefined;
  onSelectAll: () => void;
  onDone: () => void;
}

export function SelectionBar({ selected, removeFrom, onSelectAll, onDone }: SelectionBarProps) {
  const queryClient = useQueryClient();
  const actions = useMediaActions();
  const { data: targets = [] } = useQuery(writableLibrariesQuery);
  const retriable = selected.filter(({ may_retry }) => may_retry);
  const begun = selected.filter(({ reading }) => reading !== null);
  const after = (work: void | Promise<void>) => {
    void work;
    onDone();
  };
  return (
    <div className="selection-bar" role="toolbar" aria-label="Selected items">
      <span className="grow" role="status">
        {selected.length} selected
      </span>
      <Button size="small" look="ghost" onClick={onSelectAll}>
        <span>
          Select all<span className="only-roomy"> loaded</span>
        </span>
      </Button>
      <Button size="small" icon={CircleCheck} onClick={() => after(actions.finish(selected))}>
        <span className="button-word">Finish</span>
      </Button>
      {begun.length > 0 && (
        <Button size="small" icon={Circle} onClick={() => after(actions.unread(begun))}>
          <span className="button-word">Unread</span>
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
            <MenuItem
              label={library.name}
              key={library.id}
              onSelect={() => after(actions.addTo(library, selected))}
            />
          ))}
        </Menu>
      )}
      {retriable.length > 0 && (
        <Button
          size="small"
          icon={RotateCcw}
          onClick={() => after(Promise.all(retriable.map(actions.retry)).then(() => {}))}
        >
          <span className="button-word">Retry {retriable.length}</span>
        </Button>
      )}
      {removeFrom && (
        <Button
          size="small"
          look="danger"
          icon={Trash2}
          onClick={() => after(removeWithUndo(queryClient, selected, removeFrom))}
        >
          <span className="button-word">Remove</span>
        </Button>
      )}
      <IconButton label="Clear selection" shortcut="Esc" icon={X} size="small" onClick={onDone} />
    </div>
  );
}
