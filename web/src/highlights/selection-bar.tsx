import './selection-bar.css';
import { ArrowLeft, ArrowRight, Copy, Link2, MoveHorizontal, NotebookPen } from 'lucide-react';
import { useLayoutEffect, useRef } from 'react';
import { HIGHLIGHT_COLORS } from '../../../src/contract/highlight-selectors.ts';
import type { FragmentEntry, Highlight, MediaWithOutline } from '../api/types.ts';
import { useShortcuts } from '../keyboard/shortcuts.ts';
import { isRightToLeft } from '../reader/direction.ts';
import { Button, IconButton } from '../ui/button.tsx';
import { Kbd } from '../ui/kbd.tsx';
import { type HighlightActions, lastColor } from './actions.ts';
import { BegunPassage, EndingPassage } from './begun-passage.tsx';
import { COLOR_NAMES } from './colors.ts';
import { useContinuedPassage } from './continued-passage.ts';
import { useSelectedRange } from './selected-range.ts';
import { firstWords, useSelectionActions } from './selection-actions.ts';

const GAP = 10;
const EDGE = 8;

interface SelectionBarProps {
  media: MediaWithOutline;
  /** The chapters of a book. */
  chapters: readonly FragmentEntry[] | undefined;
  actions: HighlightActions;
  /** The opened highlight, if it is the person's own: it can be moved to the selection. */
  own: Highlight | undefined;
}

/** A small bar beside selected text. Using it leaves the selection as it is, so that it can still be copied. */
export function SelectionBar({ media, chapters, actions, own }: SelectionBarProps) {
  const range = useSelectedRange();
  const passage = useContinuedPassage(chapters, range);
  const { begun, isEnding, next, stop } = passage;
  const { mark, annotate, move, goOn, copy, copyLink } = useSelectionActions({
    mediaId: media.id,
    actions,
    own,
    range,
    passage,
  });
  const bar = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    if (!range || !bar.current) return;
    const element = bar.current;
    const place = () => placeBeside(element, range);
    place();
    // The bar has other rows, and another size, for other selections.
    const observer = new ResizeObserver(place);
    observer.observe(element);
    // The window or a box in it may scroll.
    window.addEventListener('scroll', place, { capture: true, passive: true });
    window.addEventListener('resize', place);
    return () => {
      observer.disconnect();
      window.removeEventListener('scroll', place, { capture: true });
      window.removeEventListener('resize', place);
    };
  }, [range]);

  const highlight = isEnding ? 'Highlight to here' : 'Highlight';
  const goOnLabel = passage.isPage ? 'Continue on next page' : 'Continue in next chapter';
  const group = 'Reader' as const;
  useShortcuts([
    ...(range
      ? [
          {
            keys: 'h',
            label: isEnding ? highlight : 'Highlight the selection',
            group,
            run: () => void mark(lastColor()),
          },
          { keys: 'm', label: `${highlight} with a note`, group, run: () => void annotate() },
        ]
      : []),
    ...(next === undefined
      ? []
      : [
          {
            keys: 'l',
            label: goOnLabel,
            group,
            run: () => void goOn({ chapter: next, byKeyboard: true }),
          },
        ]),
    ...(begun ? [{ keys: 'Escape', label: 'Cancel the highlight', group, run: stop }] : []),
  ]);

  return (
    <>
      {begun && !isEnding && <BegunPassage words={firstWords(begun)} onCancel={stop} />}
      {range && (
        <div
          ref={bar}
          className="passage-bar"
          role="toolbar"
          aria-label="Selected text"
          // Pressing a button must not clear the selection.
          onPointerDown={(event) => event.preventDefault()}
          onMouseDown={(event) => event.preventDefault()}
        >
          {begun && isEnding && <EndingPassage words={firstWords(begun)} onCancel={stop} />}
          <div className="passage-bar-row">
            {HIGHLIGHT_COLORS.map((color) => (
              <button
                key={color}
                type="button"
                className="swatch"
                data-color={color}
                aria-label={`${highlight} in ${COLOR_NAMES[color].toLowerCase()}`}
                onClick={() => void mark(color)}
              />
            ))}
            <span className="passage-bar-line" />
            <IconButton
              label={`${highlight} with a note`}
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
            <IconButton label="Copy" icon={Copy} size="small" onClick={() => void copy()} />
            <IconButton
              label="Copy link to passage"
              icon={Link2}
              size="small"
              onClick={() => void copyLink()}
            />
          </div>
          {next !== undefined && (
            <Button
              className="passage-bar-next"
              look="ghost"
              size="small"
              icon={isRightToLeft(media) ? ArrowLeft : ArrowRight}
              onClick={() => void goOn({ chapter: next, byKeyboard: false })}
            >
              {goOnLabel}
              <Kbd>l</Kbd>
            </Button>
          )}
        </div>
      )}
    </>
  );
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
