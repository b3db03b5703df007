import { useState } from 'react';
import { queryKeys } from '../api/queries.ts';
import type { Media } from '../api/types.ts';
import { titleOf } from '../library/format.ts';
import { TitleField } from '../library/title-field.tsx';
import { Button } from '../ui/button.tsx';
import { FormDialog } from '../ui/dialog.tsx';
import { useAction } from '../ui/use-action.ts';
import { useMineActions } from './actions.ts';

/** Edits the person's own title of a media. Everybody else keeps seeing the original one. */
export function OwnTitleDialog({ media, onClose }: { media: Media; onClose: () => void }) {
  const { setTitle } = useMineActions();
  const [title, setTyped] = useState(titleOf(media));
  const saving = useAction({
    run: (own: string | null) => setTitle(media, own),
    stale: [queryKeys.mediaLists(), queryKeys.searches()],
    onDone: onClose,
    quiet: true,
  });
  const isOriginal = (text: string) => text.trim() === media.title;
  return (
    <FormDialog
      title="Edit title"
      lead="Only you see it."
      action="Save"
      busy={saving.isPending}
      onSubmit={(field) => {
        // A pasted title may have line breaks.
        const own = field('title').replaceAll(/\s+/g, ' ').trim();
        saving.mutate(own === '' || isOriginal(own) ? null : own);
      }}
      onClose={onClose}
    >
      <TitleField
        value={title}
        onChange={setTyped}
        error={saving.error}
        {...(!isOriginal(title) && { hint: `Original title: ${media.title}` })}
      />
      {media.mine.title !== null && (
        <div>
          <Button size="small" busy={saving.isPending} onClick={() => saving.mutate(null)}>
            Use the original title
          </Button>
        </div>
      )}
    </FormDialog>
  );
}
