import { useState } from 'react';
import type { ListedMedia } from '../api/types.ts';
import type { WholeList } from '../library/bulk.ts';
import { titleOf } from '../library/format.ts';
import type { LibraryRef } from '../library/removals.ts';
import { Button } from '../ui/button.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { count, plural } from '../ui/numbers.ts';
import { useMineActions } from './actions.ts';
import { TagInput } from './tag-input.tsx';
import { hasTag } from './tag-names.ts';
import { TagReasons } from './tag-reasons.tsx';

interface TagDialogProps {
  media: readonly ListedMedia[];
  whole: WholeList | undefined;
  /** Edits the tags that this library gives the media, instead of the person's own. */
  library?: LibraryRef | undefined;
  onClose: () => void;
}

/**
 * Edits the tags of one or many media. Closing it saves the changes, which can be undone. Changes of everything that a list
 * contains are saved by the button alone.
 */
export default function TagDialog({ media, whole, library, onClose }: TagDialogProps) {
  const actions = useMineActions();
  const tagsOf = (one: ListedMedia) => (library ? (one.library_tags ?? []) : one.mine.tags);
  const [before] = useState(() => sortedNames(media.flatMap(tagsOf)));
  const [tags, setTags] = useState(before);
  /** Tags of some of the media that saving adds to all of them. */
  const [completed, setCompleted] = useState<readonly string[]>([]);
  const [first] = media;
  const isOne = media.length === 1 && !whole;

  const noteOf = (name: string) => {
    if (isOne || hasTag(completed, name) || !hasTag(before, name)) return undefined;
    const having = media.filter((one) => hasTag(tagsOf(one), name)).length;
    if (whole) return 'some';
    return having < media.length ? `${count(having)} of ${count(media.length)}` : undefined;
  };
  const save = () => {
    const added = [
      ...tags.filter((name) => !hasTag(before, name)),
      ...completed.filter((name) => hasTag(tags, name)),
    ];
    const removed = before.filter((name) => !hasTag(tags, name));
    onClose();
    if (added.length + removed.length > 0) void actions.retag(whole ?? media, { added, removed }, library);
  };
  return (
    <Dialog
      onClose={whole ? onClose : save}
      title={`${isOne ? 'Tags' : `Tags of ${plural(whole?.total ?? media.length, 'item')}`}${library ? ` in ${library.name}` : ''}`}
      lead={isOne ? first && titleOf(first) : leadOf(whole, before.some(noteOf))}
      className="tag-dialog"
      actions={
        <>
          {whole && <Button onClick={onClose}>Cancel</Button>}
          <Button look="primary" onClick={save}>
            {whole ? `Change ${plural(whole.total, 'item')}` : 'Done'}
          </Button>
        </>
      }
    >
      <TagInput
        label={library ? 'Library tags' : 'Tags'}
        hint={`${library ? `All members of ${library.name} see these tags.` : 'Only you see your tags.'} Use / to nest them: cooking/bread.`}
        libraryId={library?.libraryId}
        tags={tags}
        onChange={setTags}
        noteOf={noteOf}
        onComplete={(name) => setCompleted([...completed, name])}
        onSubmit={save}
      />
      {isOne && !library && first && before.length > 0 && <Reasons mediaId={first.id} />}
    </Dialog>
  );
}

/** The reasons are requested when they are opened. */
function Reasons({ mediaId }: { mediaId: string }) {
  const [isOpen, setOpen] = useState(false);
  return (
    <details className="tag-reasons-details" onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>Why these tags?</summary>
      {isOpen && <TagReasons mediaId={mediaId} />}
    </details>
  );
}

function leadOf(whole: WholeList | undefined, hasPartial: boolean): string | undefined {
  if (whole) return 'This includes items that are not loaded.';
  return hasPartial ? 'A number shows how many items have the tag. Select it to tag all.' : undefined;
}

/** The names, each once, in order. */
function sortedNames(given: readonly string[]): string[] {
  const names = new Map(given.map((name) => [name.toLowerCase(), name]));
  return [...names.values()].sort((one, other) => one.localeCompare(other));
}
