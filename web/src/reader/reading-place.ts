import { useQueryClient } from '@tanstack/react-query';
import { useCallback, useEffect, useRef } from 'react';
import type { MediaWithOutline } from '../api/types.ts';
import { useSession } from '../session/session.ts';
import { useWindowEvent } from '../ui/use-window-event.ts';
import type { Place } from './place.ts';
import { forgetPlace, notePlace, sendUnsent, storePlace, unsentPlace } from './place-outbox.ts';

const SETTLE_MS = 1200;
/** A video moves all the time, so the place is stored without waiting for the end of the movement. */
const LONGEST_WAIT_MS = 6000;

export interface StoredPlace {
  /** Returns a place that could not be sent before this media was closed. */
  unsent: (media: MediaWithOutline) => Place | undefined;
  /** Stores the place shortly after the person stops moving, and when they leave. */
  keep: (place: Place) => void;
  /** Stores no more. Resolves when no request is in flight. */
  stop: () => Promise<void>;
}

export function useStoredPlace(media: MediaWithOutline): StoredPlace {
  const queryClient = useQueryClient();
  const user = useSession().user.id;
  const isStopped = useRef(false);
  const waiting = useRef<{ place: Place; since: number }>(undefined);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  const current = useRef(media);
  current.current = media;

  const send = useCallback(
    (isLeaving: boolean) => {
      clearTimeout(timer.current);
      const place = waiting.current?.place;
      waiting.current = undefined;
      if (place) storePlace(place, { queryClient, user, media: current.current, isLeaving });
    },
    [queryClient, user],
  );

  useWindowEvent('pagehide', () => send(true));
  // A phone may end a hidden page without a further event.
  useEffect(() => {
    const onHidden = () => {
      if (document.visibilityState === 'hidden') send(true);
    };
    document.addEventListener('visibilitychange', onHidden);
    return () => document.removeEventListener('visibilitychange', onHidden);
  }, [send]);
  useWindowEvent('online', () => sendUnsent(queryClient, user));
  useEffect(() => () => send(true), [send]);

  const keep = useCallback(
    ({ progress, position }: Place) => {
      if (isStopped.current) return;
      const now = performance.now();
      const since = waiting.current?.since ?? now;
      const place = { progress: Math.min(1, Math.max(0, progress)), position };
      waiting.current = { place, since };
      notePlace(place, { queryClient, user, media: current.current });
      clearTimeout(timer.current);
      timer.current = setTimeout(() => send(false), Math.min(SETTLE_MS, since + LONGEST_WAIT_MS - now));
    },
    [send, queryClient, user],
  );
  const stop = useCallback(() => {
    isStopped.current = true;
    waiting.current = undefined;
    clearTimeout(timer.current);
    return forgetPlace(user, current.current.id);
  }, [user]);
  return { unsent: useCallback((one) => unsentPlace(one, user), [user]), keep, stop };
}
