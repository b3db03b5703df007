import { useQueryClient } from '@tanstack/react-query';
import { useCallback, useEffect, useRef } from 'react';
import { api } from '../api/client.ts';
import type { MediaWithOutline, Reading } from '../api/types.ts';
import { patchMedia } from '../library/media-list.ts';
import { mediaQuery } from '../library/queries.ts';
import { useWindowEvent } from '../ui/use-window-event.ts';

/** A position in a media: a fragment and a block in it, a page and the share of it above the screen, or seconds. */
export interface ReadingPosition {
  fragment?: number;
  block?: number;
  page?: number;
  offset?: number;
  seconds?: number;
}

/** How far the person has read. */
export interface Place {
  progress: number;
  position: ReadingPosition;
}

const SETTLE_MS = 1200;

/** Returns the stored place; undefined for a media that was never opened. */
export function placeOf({ reading }: Pick<MediaWithOutline, 'reading'>): Place | undefined {
  if (!reading) return undefined;
  const { progress, position } = reading;
  const isKnown = typeof position === 'object' && position !== null;
  return { progress, position: isKnown ? (position as ReadingPosition) : {} };
}

export function isSamePosition(one: ReadingPosition, other: ReadingPosition): boolean {
  const names = ['fragment', 'block', 'page', 'offset', 'seconds'] as const;
  return names.every((name) => one[name] === other[name]);
}

export interface StoredPlace {
  /** Stores the place shortly after the person stops moving, and when they leave. */
  keep: (place: Place) => void;
  /** Stores no more. Resolves when no request is in flight. */
  stop: () => Promise<void>;
}

export function useStoredPlace({ id }: Pick<MediaWithOutline, 'id'>): StoredPlace {
  const queryClient = useQueryClient();
  const isStopped = useRef(false);
  const sending = useRef<Promise<void>>(undefined);
  const waiting = useRef<Place>(undefined);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);

  const send = useCallback(
    async (keepalive: boolean) => {
      clearTimeout(timer.current);
      const body = waiting.current;
      waiting.current = undefined;
      if (!body) return;
      // Reopened before the answer, the media starts here, too.
      const before = queryClient.getQueryData<MediaWithOutline>(mediaQuery(id).queryKey)?.reading;
      const updated_at = new Date().toISOString();
      patchMedia(queryClient, { id, reading: { finished_at: null, ...before, ...body, updated_at } });
      try {
        const reading = await api.putData<Reading>(`/media/${id}/reading`, body, { keepalive });
        patchMedia(queryClient, { id, reading });
      } catch {
        // The next movement stores it again. A lost place is not worth interrupting the reader.
      }
    },
    [id, queryClient],
  );

  useWindowEvent('pagehide', () => void send(true));
  useEffect(() => () => void send(true), [send]);

  const keep = useCallback(
    ({ progress, position }: Place) => {
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
