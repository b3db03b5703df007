import { useQueryClient } from '@tanstack/react-query';
import { FileUp, Globe, X } from 'lucide-react';
import { useEffect, useSyncExternalStore } from 'react';
import { ApiError, sentenceOf } from '../api/error.ts';
import type { Media } from '../api/types.ts';
import { refreshLists } from '../library/media-list.ts';
import { Button, IconButton } from '../ui/button.tsx';
import { forgetSave, type Save, saveStore } from './saves.ts';

/** What was just saved, until the list itself has it. */
export function PendingSaves({
  libraryId,
  items,
}: {
  libraryId: string | undefined;
  items: readonly Media[];
}) {
  const queryClient = useQueryClient();
  const saves = useSyncExternalStore(saveStore.subscribe, saveStore.get);
  const shown = saves.filter(
    (save) =>
      (libraryId === undefined || save.libraryId === libraryId) &&
      !items.some(({ id }) => id === save.mediaId),
  );

  useEffect(() => saveStore.onSaved(() => refreshLists(queryClient)), [queryClient]);
  useEffect(() => {
    for (const { id, mediaId } of saves) {
      if (mediaId && items.some((item) => item.id === mediaId)) forgetSave(id);
    }
  }, [saves, items]);

  if (shown.length === 0) return null;
  return (
    <section className="saves" aria-label="Being saved">
      {shown.map((save) => (
        <SaveCard key={save.id} save={save} />
      ))}
    </section>
  );
}

function SaveCard({ save }: { save: Save }) {
  const Icon = save.isFile ? FileUp : Globe;
  const share = Math.round(save.progress * 100);
  const isRefused = save.error instanceof ApiError && save.error.status >= 400 && save.error.status < 500;
  return (
    <article className={`save-card ${save.error ? 'save-card-failed' : ''}`}>
      <Icon size={20} aria-hidden />
      <div className="media-text grow">
        <p className="save-title truncate">{save.title}</p>
        {save.error ? (
          <p className="small media-note-failed" role="alert">
            {sentenceOf(save.error)}
          </p>
        ) : (
          <p className="small muted" role="status">
            {save.isFile && share < 100 ? `Uploading, ${share} %` : 'Saving'}
          </p>
        )}
      </div>
      {save.error !== undefined && !isRefused && (
        <Button size="small" onClick={() => void save.again()}>
          Try again
        </Button>
      )}
      {save.error !== undefined && (
        <IconButton label="Dismiss" icon={X} size="small" onClick={() => forgetSave(save.id)} />
      )}
    </article>
  );
}
