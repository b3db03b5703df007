import { Archive, ArchiveRestore } from 'lucide-react';
import type { Media } from '../api/types.ts';
import { Button } from '../ui/button.tsx';
import { useMineActions } from './actions.ts';

/** A button that archives or unarchives a media. */
export function ArchiveButton({ media }: { media: Media }) {
  const actions = useMineActions();
  const { is_archived } = media.mine;
  return (
    <Button
      icon={is_archived ? ArchiveRestore : Archive}
      onClick={() => void actions.archive([media], !is_archived)}
    >
      {is_archived ? 'Unarchive' : 'Archive'}
    </Button>
  );
}
