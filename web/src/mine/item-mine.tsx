import './note.css';
import type { Media } from '../api/types.ts';
import { NoteEditor } from './note-editor.tsx';
import { TagChips } from './tag-chips.tsx';

/** Under the title in the reader: the tags of the item and the person's note, if there are any. */
export function ItemMine({ media }: { media: Media }) {
  const { tags, note } = media.mine;
  if (tags.length === 0 && note === null) return null;
  return (
    <div className="reader-mine">
      <TagChips media={media} most={tags.length} />
      {note !== null && (
        <section className="reader-note" aria-label="Your note">
          <NoteEditor media={media} />
        </section>
      )}
    </div>
  );
}
