import { useQuery } from '@tanstack/react-query';
import { Ellipsis, Pencil, Trash2 } from 'lucide-react';
import { useState } from 'react';
import { api } from '../api/client.ts';
import { IconButton } from '../ui/button.tsx';
import { ConfirmDialog, FormDialog } from '../ui/dialog.tsx';
import { TextField } from '../ui/field.tsx';
import { Menu, MenuItem } from '../ui/menu.tsx';
import { plural } from '../ui/numbers.ts';
import { useAction } from '../ui/use-action.ts';
import { cleanTag, isSameTag, LONGEST_TAG, tagProblem } from './tag-names.ts';
import { type ListedTag, namedTagQuery, ownTags, type TagSet } from './tag-set.ts';

interface TagMenuProps {
  name: string;
  onRenamed?: ((name: string) => void) | undefined;
  onDeleted?: (() => void) | undefined;
}

/** Renames, merges or deletes one of the person's own tags. */
export function TagMenu({ name, onRenamed, onDeleted }: TagMenuProps) {
  const { data: tag } = useQuery(namedTagQuery(ownTags, name));
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
      {asked === 'rename' && (
        <RenameTagDialog set={ownTags} tag={tag} onClose={close} onRenamed={onRenamed} />
      )}
      {asked === 'delete' && (
        <DeleteTagDialog set={ownTags} tag={tag} onClose={close} onDeleted={onDeleted} />
      )}
    </>
  );
}

interface RenameTagDialogProps extends Pick<TagMenuProps, 'onRenamed'> {
  set: TagSet;
  tag: ListedTag;
  onClose: () => void;
}

/** Asks for the new name of a tag. The name of another tag merges the two. */
export function RenameTagDialog({ set, tag, onClose, onRenamed }: RenameTagDialogProps) {
  const [text, setText] = useState(tag.name);
  const [problem, setProblem] = useState<string>();
  const name = cleanTag(text.trim());
  const { data: named } = useQuery({ ...namedTagQuery(set, name), enabled: tagProblem(name) === undefined });
  const other = named && !isSameTag(named.name, tag.name) ? named : undefined;
  const renaming = useAction({
    run: (given: string) => api.patchData<ListedTag>(set.pathOf(tag), { name: given }),
    stale: set.stale,
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
        {other && mergeText(set, tag, other)}
      </p>
    </FormDialog>
  );
}

/** Says what a merge changes, and on how many items. */
function mergeText({ has }: TagSet, tag: ListedTag, other: ListedTag): string {
  const [from, to] = [tag, other].map(({ media_count }) => plural(media_count, 'item'));
  return (
    `${has} the tag ${other.name}, on ${to}. The two will be merged: ` +
    `${from} with ${tag.name} will have ${other.name} instead. This cannot be undone.`
  );
}

interface DeleteTagDialogProps extends Pick<TagMenuProps, 'onDeleted'> {
  set: TagSet;
  tag: ListedTag;
  onClose: () => void;
}

export function DeleteTagDialog({ set, tag, onClose, onDeleted }: DeleteTagDialogProps) {
  const deleting = useAction({
    run: () => api.delete(set.pathOf(tag)),
    stale: set.stale,
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
