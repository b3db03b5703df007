import { type InfiniteData, type QueryClient, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { FileUp, Globe, X } from 'lucide-react';
import { useEffect } from 'react';
import { ApiError, errorMessage } from '../api/client.ts';
import { invalidate, queryKeys } from '../api/queries.ts';
import { useStore } from '../api/store.ts';
import type { Media } from '../api/types.ts';
import { Button, IconButton } from '../ui/button.tsx';
import { showToast } from '../ui/toasts.tsx';
import { forgetSave, type Save, savedMessage, saveStore } from './saves.ts';

interface PendingSavesProps {
  libraryId: string | undefined;
  /** The items that the list shows. */
  items: readonly Media[];
}

/** Cards of saves that the list does not show yet. */
export function PendingSaves({ libraryId, items }: PendingSavesProps) {
  const saves = useStore(saveStore);
  useEndedSaves(saves);
  const shown = saves.filter(
    (save) =>
      (libraryId === undefined || save.libraryId === libraryId) &&
      !items.some(({ id }) => id === save.saved?.mediaId),
  );
  if (shown.length === 0) return null;
  return (
    <section className="saves" aria-label="Saving">
      {shown.map((save) => (
        <SaveCard key={save.id} save={save} />
      ))}
    </section>
  );
}

/** Forgets saves that are done, once the lists are fetched again. Shows a toast for a save that no list on screen contains. */
function useEndedSaves(saves: readonly Save[]): void {
  const queryClient = useQueryClient();
  const navigate = useNavigate();
  const ended = saves
    .filter(({ saved }) => saved)
    .map(({ id }) => id)
    .join();
  useEffect(() => {
    if (ended === '') return;
    void invalidate(queryClient, queryKeys.mediaLists()).then(() => {
      const listed = listedIds(queryClient);
      for (const save of saveStore.get()) {
        if (!save.saved) continue;
        const { mediaId } = save.saved;
        forgetSave(save.id);
        if (listed.has(mediaId)) continue;
        const open = () => void navigate({ to: '/read/$mediaId', params: { mediaId } });
        showToast(savedMessage(save), { action: { label: 'Open', run: open } });
      }
    });
  }, [ended, queryClient, navigate]);
}

/** The media of the lists that are on the screen. */
function listedIds(queryClient: QueryClient): Set<string> {
  const lists = queryClient.getQueriesData<InfiniteData<{ data: readonly Media[] }>>({
    queryKey: queryKeys.mediaLists(),
    type: 'active',
  });
  return new Set(
    lists.flatMap(([, list]) => list?.pages.flatMap(({ data }) => data.map(({ id }) => id)) ?? []),
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
            {errorMessage(save.error)}
          </p>
        ) : (
          <p className="small muted" role="status">
            {save.isFile && share < 100 ? `Uploading… ${share} %` : 'Saving…'}
          </p>
        )}
      </div>
      {save.error !== undefined && !isRefused && (
        <Button size="small" onClick={() => void save.retry()}>
          Retry
        </Button>
      )}
      {save.error !== undefined && (
        <IconButton label="Dismiss" icon={X} size="small" onClick={() => forgetSave(save.id)} />
      )}
    </article>
  );
}
