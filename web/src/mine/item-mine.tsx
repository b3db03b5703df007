import './note.css';
import { useRef } from 'react';
import type { Media } from '../api/types.ts';
import { NoteEditor } from './note-editor.tsx';
import { TagChips } from './tag-chips.tsx';

/** Under the title in the reader: the tags of the item and the person's note, if there are any. */
export function ItemMine({ media }: { media: Media }) {
  const { tags, note } = media.mine;
  // The editor stays when the note is deleted, here or on another device.
  const hadNote = useRef(false);
  if (note !== null) hadNote.current = true;
  if (tags.length === 0 && !hadNote.current) return null;
  return (
    <div className="reader-mine">
      <TagChips media={media} all />
      {hadNote.current && (
        <section className="reader-note" aria-label="Your note">
          <NoteEditor media={media} />
        </section>
      )}
    </div>
  );
}
