import './selection-bar.css';
import { useQueryClient } from '@tanstack/react-query';
import { Copy, Link2, MoveHorizontal, NotebookPen } from 'lucide-react';
import { useCallback, useEffect, useLayoutEffect, useRef, useState } from 'react';
import { HIGHLIGHT_COLORS, type HighlightColor } from '../../../src/contract/highlight-selectors.ts';
import { changeSidePanel } from '../analysis/side-panel-state.ts';
import type { Highlight, MediaWithOutline } from '../api/types.ts';
import { useShortcuts } from '../keyboard/shortcuts.ts';
import { IconButton } from '../ui/button.tsx';
import { showToast } from '../ui/toasts.tsx';
import { type HighlightActions, lastColor } from './actions.ts';
import { COLOR_NAMES } from './colors.ts';
import { openHighlight } from './current-highlight.ts';
import { isInText, type SelectedSpan, spansOf } from './selected-spans.ts';
import { hasNoSelection, selectedRange } from './selection.ts';

const CANNOT_COPY = 'The browser does not allow copying here. Use its own command.';
const GAP = 10;
const EDGE = 8;
/** Selecting with a finger or the keyboard changes the selection many times. */
const SETTLE_MS = 180;

interface SelectionBarProps {
  media: MediaWithOutline;
  actions: HighlightActions;
  /** The opened highlight, if it is the person's own: it can be moved to the selection. */
  own: Highlight | undefined;
}

/** A small bar beside selected text. Using it leaves the selection as it is, so that it can still be copied. */
export function SelectionBar({ media, actions, own }: SelectionBarProps) {
  const queryClient = useQueryClient();
  const range = useSelectedRange();
  const bar = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    if (!range) return;
    const place = () => bar.current && placeBeside(bar.current, range);
    place();
    // The window or a box in it may scroll.
    window.addEventListener('scroll', place, { capture: true, passive: true });
    window.addEventListener('resize', place);
    return () => {
      window.removeEventListener('scroll', place, { capture: true });
      window.removeEventListener('resize', place);
    };
  }, [range]);

  const withSpans = async (use: (spans: SelectedSpan[]) => Promise<unknown>) => {
    // The selection may have changed since the bar was placed.
    const selection = rangeInText() ?? range;
    if (selection) await use(await spansOf(selection, { mediaId: media.id, queryClient }));
  };
  const mark = (color: HighlightColor) => withSpans((spans) => actions.create(spans, color));
  const annotate = () =>
    withSpans(async (spans) => {
      const created = await actions.create(spans, lastColor());
      if (!created) return;
      openHighlight(created.id, { isEditing: true });
      changeSidePanel({ isOpen: true, tab: 'highlights' });
    });
  const move = () =>
    withSpans(async ([span]) => {
      if (own && span) await actions.move(own, span);
    });
  /** Copies the selection as the browser's own command does: with its line breaks and formats, without the times of a transcript. */
  const copy = () => showToast(document.execCommand('copy') ? 'Copied' : CANNOT_COPY);
  const copyAddress = (address: string) =>
    navigator.clipboard.writeText(address).then(
      () => showToast('Copied a link to this passage'),
      () => showToast(CANNOT_COPY),
    );
  const copyLink = () =>
    withSpans(async ([span]) => {
      if (!span) return;
      const words = span.exact.split(/\s+/).slice(0, 8).join(' ');
      const search = new URLSearchParams({ at: String(span.fragment_idx), from: String(span.start) });
      search.set('q', `"${words.replaceAll('"', '')}"`);
      await copyAddress(`${location.origin}/app/read/${media.id}?${search}`);
    });

  useShortcuts(
    range
      ? [
          { keys: 'h', label: 'Highlight the selection', group: 'Reader', run: () => void mark(lastColor()) },
          { keys: 'm', label: 'Highlight with a note', group: 'Reader', run: () => void annotate() },
        ]
      : [],
  );

  if (!range) return null;
  return (
    <div
      ref={bar}
      className="selection-bar"
      role="toolbar"
      aria-label="Selected text"
      // A press must not take the selection away.
      onPointerDown={(event) => event.preventDefault()}
      onMouseDown={(event) => event.preventDefault()}
    >
      {HIGHLIGHT_COLORS.map((color) => (
        <button
          key={color}
          type="button"
          className="swatch"
          data-color={color}
          aria-label={`Highlight in ${COLOR_NAMES[color].toLowerCase()}`}
          onClick={() => void mark(color)}
        />
      ))}
      <span className="selection-bar-line" />
      <IconButton
        label="Highlight with a note"
        shortcut="m"
        icon={NotebookPen}
        size="small"
        onClick={() => void annotate()}
      />
      {own && (
        <IconButton
          label="Move the open highlight here"
          icon={MoveHorizontal}
          size="small"
          onClick={() => void move()}
        />
      )}
      <IconButton label="Copy" icon={Copy} size="small" onClick={copy} />
      <IconButton label="Copy link to passage" icon={Link2} size="small" onClick={() => void copyLink()} />
    </div>
  );
}

/** Returns the selected text of the document. */
function rangeInText(): Range | undefined {
  const range = selectedRange();
  return range && isInText(range) ? range : undefined;
}

/** Returns the selected text of the document, shortly after the selection has settled. */
function useSelectedRange(): Range | undefined {
  const [range, setRange] = useState<Range>();
  // A page that is turned takes its selection along without an event.
  useEffect(() => {
    if (!range) return;
    const observer = new MutationObserver(() => {
      if (range.collapsed || !range.startContainer.isConnected) setRange(undefined);
    });
    observer.observe(document.body, { childList: true, subtree: true });
    return () => observer.disconnect();
  }, [range]);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  const isPressed = useRef(false);
  const look = useCallback(() => {
    clearTimeout(timer.current);
    setRange(rangeInText());
  }, []);
  useEffect(() => {
    const lookSoon = () => {
      clearTimeout(timer.current);
      if (hasNoSelection()) look();
      else if (!isPressed.current) timer.current = setTimeout(look, SETTLE_MS);
    };
    const press = () => {
      isPressed.current = true;
    };
    const release = () => {
      isPressed.current = false;
      lookSoon();
    };
    // Text may be selected before this has loaded.
    look();
    document.addEventListener('selectionchange', lookSoon);
    document.addEventListener('pointerdown', press);
    document.addEventListener('pointerup', release);
    document.addEventListener('pointercancel', release);
    return () => {
      clearTimeout(timer.current);
      document.removeEventListener('selectionchange', lookSoon);
      document.removeEventListener('pointerdown', press);
      document.removeEventListener('pointerup', release);
      document.removeEventListener('pointercancel', release);
    };
  }, [look]);
  return range;
}

/** Places the bar above the selection; below it for a finger, where the system has a menu of its own above. */
function placeBeside(bar: HTMLElement, range: Range): void {
  const { width, height } = bar.getBoundingClientRect();
  const rects = [...range.getClientRects()].filter((rect) => rect.bottom > 0 && rect.top < innerHeight);
  const [first, last] = [rects[0], rects.at(-1)];
  // The selection is scrolled out of sight.
  bar.style.visibility = first && last ? '' : 'hidden';
  if (!first || !last) return;
  const above = first.top - height - GAP;
  const below = Math.min(last.bottom + GAP, innerHeight - height - EDGE);
  const isTouch = matchMedia('(pointer: coarse)').matches;
  const rect = isTouch || above < EDGE + 56 ? last : first;
  bar.style.top = `${rect === last ? below : above}px`;
  const middle = (rect.left + rect.right) / 2 - width / 2;
  bar.style.left = `${Math.max(EDGE, Math.min(middle, innerWidth - width - EDGE))}px`;
}
