import './find-bar.css';
import { useQuery } from '@tanstack/react-query';
import { ChevronDown, ChevronUp, X } from 'lucide-react';
import { type KeyboardEvent, useDeferredValue, useEffect, useMemo, useRef, useState } from 'react';
import { useMarks } from '../analysis/marks.ts';
import { api } from '../api/client.ts';
import { queryKeys } from '../api/queries.ts';
import type { ListPage, MediaWithOutline, TextMatch } from '../api/types.ts';
import { IconButton } from '../ui/button.tsx';
import { useWindowEvent } from '../ui/use-window-event.ts';
import type { Visited } from './visited.ts';

/** The words to find, and how to match them. */
interface Sought {
  q: string;
  by: 'phrase' | 'words';
  /** The fragment, and the character in it, to begin at. */
  near: { fragment: number; character: number };
}

const NOTHING: Sought = { q: '', by: 'phrase', near: { fragment: 0, character: 0 } };
const PAGE_SIZE = 200;
const MOST_PAGES = 3;
const SHORTEST = 2;

/** Finding in the document: opened by Ctrl+F where not all text is on the page, or by a link with words. */
export function useFind(media: MediaWithOutline, { at = 0, q, from = 0 }: Visited) {
  const [isOpen, setOpen] = useState(q !== undefined);
  const [sought, setSought] = useState(() => soughtBy(q, at, from));
  useEffect(() => {
    if (q === undefined) return;
    setSought(soughtBy(q, at, from));
    setOpen(true);
  }, [q, at, from]);

  const canFind = media.capabilities.can_search;
  const isInParts = media.kind === 'epub' || media.kind === 'pdf';
  useWindowEvent('keydown', (event) => {
    const isFind = (event.ctrlKey || event.metaKey) && !event.altKey && event.key.toLowerCase() === 'f';
    if (!isFind || !canFind || !isInParts || isOpen) return;
    event.preventDefault();
    setOpen(true);
  });
  return {
    isOpen,
    sought,
    onChange: (text: string) => setSought({ ...NOTHING, q: text, near: sought.near }),
    open: canFind ? () => setOpen(true) : undefined,
    onClose: () => {
      setOpen(false);
      setSought(NOTHING);
    },
  };
}

/** Returns the words of a link, and where to begin looking for them. */
function soughtBy(q: string | undefined, fragment: number, character: number): Sought {
  return q === undefined ? NOTHING : { q, by: 'words', near: { fragment, character } };
}

interface FindBarProps {
  media: MediaWithOutline;
  sought: Sought;
  onChange: (text: string) => void;
  onClose: () => void;
  /** Called before the page scrolls to a match. */
  onLeave: () => void;
}

/** A bar with the words to find, the number of matches, and buttons for the next and the previous one. */
export function FindBar({ media, sought, onChange, onClose, onLeave }: FindBarProps) {
  const input = useRef<HTMLInputElement>(null);
  const deferred = useDeferredValue(sought);
  const isLongEnough = deferred.q.trim().length >= SHORTEST;
  const matches = useQuery({ ...matchesQuery(media.id, deferred), enabled: isLongEnough });
  const found = isLongEnough ? matches.data : undefined;
  const [chosen, setChosen] = useState<{ of: unknown; index: number }>();
  const first = useMemo(() => (found ? firstNear(found.all, deferred.near) : 0), [found, deferred.near]);
  const current = chosen?.of === found ? (chosen?.index ?? first) : first;
  const count = found?.all.length ?? 0;
  const hasMatch = count > 0;

  useEffect(() => {
    const before = document.activeElement;
    // A link with words leads to the text; typing begins with an empty bar.
    if (input.current?.value === '') input.current.focus({ preventScroll: true });
    return () => {
      if (before instanceof HTMLElement && before.isConnected) before.focus({ preventScroll: true });
    };
  }, []);
  // biome-ignore lint/correctness/useExhaustiveDependencies: each match is elsewhere
  useEffect(() => {
    if (hasMatch) onLeave();
  }, [hasMatch, current, onLeave]);
  useMarks(media.id, found?.all, current);

  const go = (step: 1 | -1) => hasMatch && setChosen({ of: found, index: (current + step + count) % count });
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === 'Enter') go(event.shiftKey ? -1 : 1);
    else if (event.key === 'Escape') onClose();
    else return;
    event.preventDefault();
    event.stopPropagation();
  };
  return (
    <search className="find-bar" aria-label="Find in document">
      <input
        ref={input}
        type="search"
        className="input find-input"
        aria-label="Find in document"
        placeholder="Find in document"
        value={sought.q}
        onChange={(event) => onChange(event.target.value)}
        onKeyDown={onKeyDown}
      />
      <span className="find-count small muted" role="status">
        {found && (hasMatch ? `${current + 1} of ${count}${found.hasMore ? '+' : ''}` : 'No matches')}
      </span>
      <IconButton
        label="Previous match"
        icon={ChevronUp}
        size="small"
        disabled={!hasMatch}
        onClick={() => go(-1)}
      />
      <IconButton
        label="Next match"
        icon={ChevronDown}
        size="small"
        disabled={!hasMatch}
        onClick={() => go(1)}
      />
      <IconButton label="Close" icon={X} size="small" onClick={onClose} />
    </search>
  );
}

interface Found {
  all: TextMatch[];
  hasMore: boolean;
}

/** The matches from the beginning, or from the fragment to begin at when it comes after too many. */
function matchesQuery(id: string, { q, by, near }: Sought) {
  const read = async (from: number, signal: AbortSignal): Promise<Found> => {
    const all: TextMatch[] = [];
    let cursor: string | undefined;
    for (let pages = 0; pages < MOST_PAGES; pages++) {
      const query = { q: q.trim(), by, from, limit: PAGE_SIZE, cursor };
      const { data, page } = await api.get<ListPage<TextMatch>>(`/media/${id}/matches`, query, signal);
      all.push(...data);
      if (page.next_cursor === null) return { all, hasMore: false };
      cursor = page.next_cursor;
    }
    return { all, hasMore: true };
  };
  return {
    queryKey: queryKeys.matches(id, { q, by, near: near.fragment }),
    queryFn: async ({ signal }: { signal: AbortSignal }) => {
      const found = await read(0, signal);
      const isMissed = found.hasMore && (found.all.at(-1)?.fragment_idx ?? 0) <= near.fragment;
      return isMissed ? read(near.fragment, signal) : found;
    },
    staleTime: Number.POSITIVE_INFINITY,
  };
}

/** The first match at or after a character of a fragment; the first of all when there is none. */
function firstNear(all: readonly TextMatch[], near: Sought['near']): number {
  const { fragment, character } = near;
  const index = all.findIndex(
    ({ fragment_idx, start }) => fragment_idx > fragment || (fragment_idx === fragment && start >= character),
  );
  return Math.max(0, index);
}
