import { useState } from 'react';
import type { Media } from '../api/types.ts';
import type { WholeList } from '../library/bulk.ts';
import { titleOf } from '../library/format.ts';
import { Button } from '../ui/button.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { count, plural } from '../ui/numbers.ts';
import { useMineActions } from './actions.ts';
import { TagInput } from './tag-input.tsx';
import { hasTag } from './tag-names.ts';
import { TagReasons } from './tag-reasons.tsx';

interface TagDialogProps {
  media: readonly Media[];
  whole: WholeList | undefined;
  onClose: () => void;
}

/**
 * Edits the tags of one or many media. Closing it saves the changes, which can be undone. Changes of everything that a list
 * contains are saved by the button alone.
 */
export default function TagDialog({ media, whole, onClose }: TagDialogProps) {
  const actions = useMineActions();
  const [before] = useState(() => allTags(media));
  const [tags, setTags] = useState(before);
  /** The tags of some media that all are to get. */
  const [completed, setCompleted] = useState<readonly string[]>([]);
  const [first] = media;
  const isOne = media.length === 1 && !whole;

  const noteOf = (name: string) => {
    if (isOne || hasTag(completed, name) || !hasTag(before, name)) return undefined;
    const having = media.filter(({ mine }) => hasTag(mine.tags, name)).length;
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
    if (added.length + removed.length > 0) void actions.retag(whole ?? media, { added, removed });
  };
  return (
    <Dialog
      onClose={whole ? onClose : save}
      title={isOne ? 'Tags' : `Tags of ${plural(whole?.total ?? media.length, 'item')}`}
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
        label="Tags"
        hint="Only you see your tags. Use / to nest them: cooking/bread."
        tags={tags}
        onChange={setTags}
        noteOf={noteOf}
        onComplete={(name) => setCompleted([...completed, name])}
        onSubmit={save}
      />
      {isOne && first && before.length > 0 && <Reasons mediaId={first.id} />}
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
  return hasPartial ? 'Select the number of a tag to add the tag to all of them.' : undefined;
}

/** Every tag that one of the media has. */
function allTags(media: readonly Media[]): string[] {
  const names = new Map(media.flatMap(({ mine }) => mine.tags).map((name) => [name.toLowerCase(), name]));
  return [...names.values()].sort((one, other) => one.localeCompare(other));
}
