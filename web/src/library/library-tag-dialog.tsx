import { useState } from 'react';
import type { ListedMedia } from '../api/types.ts';
import { TagInput } from '../mine/tag-input.tsx';
import { isSameTag } from '../mine/tag-names.ts';
import { Button } from '../ui/button.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { titleOf } from './format.ts';
import { useSetLibraryTags } from './library-tags.ts';
import type { LibraryRef } from './removals.ts';

interface LibraryTagDialogProps {
  media: ListedMedia;
  library: LibraryRef;
  onClose: () => void;
}

/** Edits the tags that a shared library gives a media. Closing it saves the changes, which can be undone. */
export default function LibraryTagDialog({ media, library, onClose }: LibraryTagDialogProps) {
  const setLibraryTags = useSetLibraryTags();
  const [before] = useState(media.library_tags ?? []);
  const [tags, setTags] = useState<string[]>([...before]);
  const save = () => {
    onClose();
    const isSame =
      tags.length === before.length && tags.every((tag) => before.some((one) => isSameTag(one, tag)));
    if (!isSame) void setLibraryTags(media, library, tags);
  };
  return (
    <Dialog
      onClose={save}
      title={`Tags in ${library.name}`}
      lead={titleOf(media)}
      className="tag-dialog"
      actions={
        <Button look="primary" onClick={save}>
          Done
        </Button>
      }
    >
      <TagInput
        label="Library tags"
        hint={`All members of ${library.name} see these tags. Use / to nest them: cooking/bread.`}
        libraryId={library.libraryId}
        tags={tags}
        onChange={setTags}
        onSubmit={save}
      />
    </Dialog>
  );
}
