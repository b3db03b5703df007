import { CircleCheck } from 'lucide-react';
import type { ReactNode } from 'react';
import type { MediaWithOutline } from '../api/types.ts';
import { useMediaActions } from '../library/actions.ts';
import { ArchiveButton } from '../mine/archive-button.tsx';
import { Button } from '../ui/button.tsx';
import { NextItem } from './next-item.tsx';

/** The end of a text: buttons to finish and archive it, and the next item. */
export function ReaderEnd({ media, children }: { media: MediaWithOutline; children?: ReactNode }) {
  const actions = useMediaActions();
  const isFinished = media.reading?.finished_at != null;
  return (
    <footer className="reader-end">
      {children}
      <div className="row">
        <Button
          look={isFinished || media.is_link ? 'secondary' : 'primary'}
          icon={CircleCheck}
          onClick={() => void actions.finish([media], !isFinished)}
        >
          {isFinished ? 'Finished' : 'Mark as finished'}
        </Button>
        <ArchiveButton media={media} />
      </div>
      <NextItem media={media} />
    </footer>
  );
}
