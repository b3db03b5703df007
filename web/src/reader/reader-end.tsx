import { CircleCheck, CircleDashed } from 'lucide-react';
import type { ReactNode } from 'react';
import type { MediaWithOutline } from '../api/types.ts';
import { useMediaActions } from '../library/actions.ts';
import { ArchiveButton } from '../mine/archive-button.tsx';
import { Button } from '../ui/button.tsx';
import { NextItem } from './next-item.tsx';

/** The end of a text: whether it is finished, buttons to change that and to archive it, and the next item. */
export function ReaderEnd({ media, children }: { media: MediaWithOutline; children?: ReactNode }) {
  const actions = useMediaActions();
  const isFinished = media.reading?.finished_at != null;
  return (
    <footer className="reader-end">
      {children}
      <div className="row">
        {isFinished && (
          <span className="reader-finished">
            <CircleCheck size={16} aria-hidden />
            Finished
          </span>
        )}
        <Button
          look={isFinished || media.is_link ? 'secondary' : 'primary'}
          icon={isFinished ? CircleDashed : CircleCheck}
          onClick={() => void actions.finish([media], !isFinished)}
        >
          {isFinished ? 'Mark as not finished' : 'Mark as finished'}
        </Button>
        <ArchiveButton media={media} />
      </div>
      <NextItem media={media} />
    </footer>
  );
}
