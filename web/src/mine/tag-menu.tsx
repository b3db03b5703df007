import { useQuery } from '@tanstack/react-query';
import { Ellipsis, Pencil, Trash2 } from 'lucide-react';
import { useState } from 'react';
import { api } from '../api/client.ts';
import { queryKeys } from '../api/queries.ts';
import type { Tag } from '../api/types.ts';
import { IconButton } from '../ui/button.tsx';
import { ConfirmDialog, FormDialog } from '../ui/dialog.tsx';
import { TextField } from '../ui/field.tsx';
import { Menu, MenuItem } from '../ui/menu.tsx';
import { plural } from '../ui/numbers.ts';
import { useAction } from '../ui/use-action.ts';
import { cleanTag, LONGEST_TAG, tagProblem } from './tag-names.ts';
import { namedTagQuery } from './tags.ts';

/** The queries that show names of tags. */
const STALE = [queryKeys.tags(), queryKeys.mediaLists(), queryKeys.oneMedia(), queryKeys.searches()];

interface TagMenuProps {
  name: string;
  onRenamed?: ((name: string) => void) | undefined;
  onDeleted?: (() => void) | undefined;
}

/** Renames, merges or deletes a tag. */
export function TagMenu({ name, onRenamed, onDeleted }: TagMenuProps) {
  const { data: tag } = useQuery(namedTagQuery(name));
  const [asked, setAsked] = useState<'rename' | 'delete'>();
  const close = () => setAsked(undefined);
  if (!tag) return null;
  return (
    <>
      <Menu
        trigger={<IconButton label={`Actions for the tag ${name}`} icon={Ellipsis} withTooltip={false} />}
      >
        <MenuItem label="Rename" icon={Pencil} onSelect={() => setAsked('rename')} />
        <MenuItem label="Delete" icon={Trash2} danger onSelect={() => setAsked('delete')} />
      </Menu>
      {asked === 'rename' && <RenameTagDialog tag={tag} onClose={close} onRenamed={onRenamed} />}
      {asked === 'delete' && <DeleteTagDialog tag={tag} onClose={close} onDeleted={onDeleted} />}
    </>
  );
}

interface RenameTagDialogProps extends Pick<TagMenuProps, 'onRenamed'> {
  tag: Tag;
  onClose: () => void;
}

/** Asks for the new name of a tag. The name of another tag merges the two. */
export function RenameTagDialog({ tag, onClose, onRenamed }: RenameTagDialogProps) {
  const [text, setText] = useState(tag.name);
  const [problem, setProblem] = useState<string>();
  const name = cleanTag(text.trim());
  const { data: named } = useQuery({ ...namedTagQuery(name), enabled: tagProblem(name) === undefined });
  const other = named && named.id !== tag.id ? named : undefined;
  const renaming = useAction({
    run: (given: string) => api.patchData<Tag>(`/tags/${tag.id}`, { name: given }),
    stale: STALE,
    message: (renamed) => (other ? `Merged ${tag.name} with ${renamed.name}` : `Renamed to ${renamed.name}`),
    onDone: (renamed) => {
      onClose();
      onRenamed?.(renamed.name);
    },
    quiet: true,
  });
  return (
    <FormDialog
      title="Rename tag"
      lead="The tags below it are renamed with it."
      action={other ? 'Merge' : 'Rename'}
      busy={renaming.isPending}
      onSubmit={() => {
        const refused = tagProblem(name);
        setProblem(refused);
        // The other tag keeps its spelling, also in the names of those below it.
        if (!refused) renaming.mutate(other?.name ?? name);
      }}
      onClose={onClose}
    >
      <TextField
        label="Name"
        dir="auto"
        autoComplete="off"
        autoCapitalize="none"
        maxLength={LONGEST_TAG}
        required
        value={text}
        onChange={(event) => {
          setText(event.target.value);
          setProblem(undefined);
        }}
        error={problem ?? renaming.error}
      />
      <p className="tag-merge" role="status">
        {other &&
          `You already have the tag ${other.name}. The two will be merged: items with either tag get ${other.name}. This cannot be undone.`}
      </p>
    </FormDialog>
  );
}

interface DeleteTagDialogProps extends Pick<TagMenuProps, 'onDeleted'> {
  tag: Tag;
  onClose: () => void;
}

export function DeleteTagDialog({ tag, onClose, onDeleted }: DeleteTagDialogProps) {
  const deleting = useAction({
    run: () => api.delete(`/tags/${tag.id}`),
    stale: STALE,
    message: () => `Deleted the tag ${tag.name}`,
    onDone: () => {
      onClose();
      onDeleted?.();
    },
  });
  return (
    <ConfirmDialog
      title={`Delete the tag ${tag.name}?`}
      action="Delete"
      danger
      busy={deleting.isPending}
      onConfirm={() => deleting.mutate()}
      onClose={onClose}
    >
      {tag.media_count === 0
        ? 'No items have it.'
        : `It is removed from ${plural(tag.media_count, 'item')}. The items stay.`}{' '}
      The tags below it stay, too. This cannot be undone.
    </ConfirmDialog>
  );
}
