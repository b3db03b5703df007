import { useNavigate, useRouter } from '@tanstack/react-router';
import { useCallback, useEffect, useRef, useState } from 'react';
import type { MediaWithOutline } from '../api/types.ts';
import { isSamePosition, type Place, type ReadingPosition } from './place.ts';
import { latestPlace } from './place-outbox.ts';
import { useStoredPlace } from './reading-place.ts';
import type { Visited } from './visited.ts';

/** The position that the view should show. A new object is a new request, also for the same position. */
export interface Target {
  position: ReadingPosition;
  /** The id of an element in the fragment. */
  element?: string | undefined;
  /** The share of the media that was read, for a text that no longer has the position. */
  share?: number;
}

const BEGINNING: Place = { progress: 0, position: {} };

/** Returns the first position of a media that was never opened. In a book, that is the beginning of its text, if it is marked. */
function startOf({ book }: MediaWithOutline): Target {
  const start = book?.landmarks.find(({ type }) => type === 'bodymatter');
  return start ? { position: { fragment: start.fragment_idx }, element: start.element } : { position: {} };
}

/** A movement this long after the start of a visit counts as reading, so it becomes the place. */
const READ_ON_MS = 20_000;

/**
 * The place that a person has read to, and visits elsewhere.
 *
 * A visit begins with a link: of a search, the contents or a footnote. It leaves the place as it is until the person
 * reads on there, and they can go back. The address names the visit, so that the browser's Back ends it.
 *
 * `isFresh`: the media was fetched since it was opened, and is not only from the cache.
 */
export function useVisits(media: MediaWithOutline, visited: Visited, isFresh: boolean) {
  const router = useRouter();
  const navigate = useNavigate();
  const { unsent, keep, stop } = useStoredPlace(media);
  const [initial] = useState(() => (isFresh ? unsent(media) : undefined) ?? latestPlace(media));
  const place = useRef(initial);
  const current = useRef(place.current);
  const hasMoved = useRef(false);
  const startedAt = useRef(performance.now());
  const [target, setTarget] = useState<Target>(() => {
    if (visited.at !== undefined) return targetOf(visited);
    return initial ? targetAt(initial) : startOf(media);
  });
  const [from, setFrom] = useState(() =>
    visited.at === undefined ? undefined : (place.current ?? BEGINNING),
  );
  const [progress, setProgress] = useState(place.current?.progress ?? 0);

  const leave = useRef(from);
  leave.current = from;

  const returnToPlace = useCallback(() => {
    if (!leave.current) return;
    current.current = leave.current;
    setTarget(targetAt(leave.current));
    setProgress(leave.current.progress);
    setFrom(undefined);
  }, []);

  const { at, to } = visited;
  const isFirst = useRef(true);
  useEffect(() => {
    if (isFirst.current) {
      isFirst.current = false;
      return;
    }
    if (at !== undefined) {
      startedAt.current = performance.now();
      setFrom((already) => already ?? current.current ?? BEGINNING);
      setTarget(targetOf({ at, to }));
    } else returnToPlace();
  }, [at, to, returnToPlace]);

  // The person may have read on elsewhere since this media was cached.
  const { reading } = media;
  const newest = useRef(media);
  newest.current = media;
  // biome-ignore lint/correctness/useExhaustiveDependencies: only another answer about the place can change it
  useEffect(() => {
    const left = isFresh ? unsent(newest.current) : undefined;
    if (left) keep(left);
    const stored = left ?? latestPlace(newest.current);
    if (!stored || hasMoved.current || leave.current) return;
    if (isSamePosition(stored.position, place.current?.position ?? {})) return;
    place.current = stored;
    current.current = stored;
    setProgress(stored.progress);
    if (at === undefined) setTarget(targetAt(stored));
  }, [reading, isFresh, at, unsent, keep]);

  const change = useCallback(
    (search: Visited, options: { replace: boolean }) =>
      void navigate({
        to: '/read/$mediaId',
        params: { mediaId: media.id },
        search,
        replace: options.replace,
        state: (known) => ({ ...known, isVisit: options.replace ? known.isVisit : true }),
      }),
    [navigate, media.id],
  );
  const isVisited = useRef(false);
  isVisited.current = at !== undefined;

  const adopt = useCallback(
    (next: Place) => {
      place.current = next;
      setFrom(undefined);
      if (isVisited.current) change({}, { replace: true });
      keep(next);
    },
    [keep, change],
  );

  /** Called by the view when the person has moved. */
  const onMove = useCallback(
    (share: number, position: ReadingPosition) => {
      const next = { progress: share, position };
      hasMoved.current = true;
      current.current = next;
      setProgress(share);
      if (leave.current && performance.now() - startedAt.current < READ_ON_MS) return;
      if (leave.current || !isSamePosition(position, place.current?.position ?? {})) adopt(next);
    },
    [adopt],
  );

  // Opening a media counts as starting to read it.
  const isUnread = reading === null && media.capabilities.can_read;
  const start = useRef(startOf(media).position);
  useEffect(() => {
    if (!isUnread) return;
    place.current ??= { progress: 0, position: start.current };
    keep(place.current);
  }, [isUnread, keep]);

  /** Goes elsewhere in the media. Going on from a visit is the same visit. */
  const visit = useCallback(
    (next: Visited) => {
      change(next, { replace: isVisited.current });
      // The same address again does not change anything else.
      if (next.at === at && next.to === to) setTarget(targetOf(next));
    },
    [change, at, to],
  );
  const isPushed = () => router.state.location.state.isVisit === true;
  return {
    target,
    progress,
    /** Whether the person can go back to where they were. */
    canReturn: from !== undefined && from.progress > 0,
    onMove,
    visit,
    stop,
    /** The position that is shown, as far as it is known. */
    current: () => current.current?.position ?? target.position,
    /** Leaves the place without an address, such as to look for words. */
    leavePlace: useCallback(() => {
      startedAt.current = performance.now();
      setFrom((already) => already ?? current.current ?? BEGINNING);
    }, []),
    /** Goes back to the place. */
    endVisit: () => {
      if (at === undefined) returnToPlace();
      else if (isPushed()) router.history.back();
      else change({}, { replace: true });
    },
    /** Makes the visited position the place. */
    stay: () => adopt(current.current ?? { progress, position: target.position }),
    /** How many entries of the history belong to this media. */
    entries: () => (isPushed() ? 2 : 1),
  };
}

function targetAt({ position, progress }: Place): Target {
  return { position, share: progress };
}

function targetOf({ at = 0, to }: { at?: number | undefined; to?: string | undefined }): Target {
  return { position: { fragment: at, page: at + 1 }, element: to };
}

declare module '@tanstack/react-router' {
  interface HistoryState {
    /** Whether the reader added this entry, for a visit. */
    isVisit?: boolean | undefined;
  }
}
