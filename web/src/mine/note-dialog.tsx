import { useQuery } from '@tanstack/react-query';
import type { Media } from '../api/types.ts';
import { titleOf } from '../library/format.ts';
import { mediaQuery } from '../library/queries.ts';
import { Dialog } from '../ui/dialog.tsx';
import { Pending, Skeleton } from '../ui/states.tsx';
import { NoteEditor } from './note-editor.tsx';

/** Shows and edits the note of a media. */
export default function NoteDialog({ media, onClose }: { media: Media; onClose: () => void }) {
  const query = useQuery(mediaQuery(media.id));
  return (
    <Dialog onClose={onClose} title="Note" lead={titleOf(media)}>
      <Pending query={query}>
        <Skeleton height="8rem" />
      </Pending>
      {query.data && <NoteEditor media={query.data} startsEditing />}
    </Dialog>
  );
}
