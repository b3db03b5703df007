import { useQueryClient } from '@tanstack/react-query';
import { useCallback, useEffect, useRef } from 'react';
import { api } from '../api/client.ts';
import type { MediaWithOutline, Reading } from '../api/types.ts';
import { patchMedia } from '../library/media-list.ts';
import { useWindowEvent } from '../ui/use-window-event.ts';

/** How far the person has read: a fragment and a block in it, a page, or seconds. */
export interface ReadingPosition {
  fragment?: number;
  block?: number;
  page?: number;
  seconds?: number;
}

const SETTLE_MS = 1200;

export function positionOf({ reading }: MediaWithOutline): ReadingPosition {
  const position = reading?.position;
  return typeof position === 'object' && position !== null ? (position as ReadingPosition) : {};
}

interface ReadingProgress {
  keep: (progress: number, position: ReadingPosition) => void;
  /** Stops saving the position. Resolves when no request is in flight. */
  stop: () => Promise<void>;
}

/** Saves the reading position shortly after the person stops scrolling, and when they leave. */
export function useReadingProgress({ id }: MediaWithOutline): ReadingProgress {
  const queryClient = useQueryClient();
  const isStopped = useRef(false);
  const sending = useRef<Promise<void>>(undefined);
  const waiting = useRef<{ progress: number; position: ReadingPosition }>(undefined);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);

  const send = useCallback(
    async (keepalive: boolean) => {
      clearTimeout(timer.current);
      const body = waiting.current;
      waiting.current = undefined;
      if (!body) return;
      try {
        const reading = await api.putData<Reading>(`/media/${id}/reading`, body, { keepalive });
        patchMedia(queryClient, { id, reading });
      } catch {
        // The next movement saves it again. A lost position is not worth interrupting the reader.
      }
    },
    [id, queryClient],
  );

  useWindowEvent('pagehide', () => void send(true));
  useEffect(() => () => void send(true), [send]);

  const keep = useCallback(
    (progress: number, position: ReadingPosition) => {
      if (isStopped.current) return;
      waiting.current = { progress: Math.min(1, Math.max(0, progress)), position };
      clearTimeout(timer.current);
      timer.current = setTimeout(() => {
        sending.current = send(false);
      }, SETTLE_MS);
    },
    [send],
  );
  const stop = useCallback(async () => {
    isStopped.current = true;
    waiting.current = undefined;
    await sending.current;
  }, []);
  return { keep, stop };
}
