import './note.css';
import { CircleHelp } from 'lucide-react';
import { useRef, useState } from 'react';
import type { Media } from '../api/types.ts';
import { draftFields, useDraft } from '../drafts/use-draft.ts';
import { IconButton } from '../ui/button.tsx';
import { Popover } from '../ui/popover.tsx';
import { NoteEditor } from './note-editor.tsx';
import { TagChips } from './tag-chips.tsx';
import { TagReasons } from './tag-reasons.tsx';

/** Under the title in the reader: the tags of the item and the person's note, if there are any. */
export function ItemMine({ media }: { media: Media }) {
  const { tags, note } = media.mine;
  // The editor stays when the note is deleted, here or on another device.
  const hadNote = useRef(false);
  const draft = useDraft(draftFields.itemNote(media.id));
  const [hadDraft] = useState(() => draft.isPending(note ?? ''));
  if (note !== null || hadDraft) hadNote.current = true;
  if (tags.length === 0 && !hadNote.current) return null;
  return (
    <div className="reader-mine">
      {tags.length > 0 && (
        <div className="reader-tags">
          <TagChips media={media} all />
          <Popover
            label="Why these tags?"
            align="start"
            trigger={<IconButton label="Why these tags?" icon={CircleHelp} size="small" />}
          >
            <TagReasons mediaId={media.id} />
          </Popover>
        </div>
      )}
      {hadNote.current && (
        <section className="reader-note" aria-label="Your note">
          <NoteEditor media={media} />
        </section>
      )}
    </div>
  );
}
