import { useEffect, useMemo, useState } from 'react';
import { requestFragment } from '../analysis/fragment-requests.ts';
import { elementOf } from '../analysis/marks.ts';
import type { FragmentEntry } from '../api/types.ts';
import { painter } from './painted.ts';
import { endOf, type SelectedSpan } from './selected-spans.ts';

const NAME = 'nexus-highlight-begun';

/**
 * A passage that goes on in the next chapter of a book, which shows one chapter at a time: it is begun with one selection,
 * and ends with another one in a later chapter.
 */
export function useContinuedPassage(
  chapters: readonly FragmentEntry[] | undefined,
  range: Range | undefined,
) {
  const [passage, setPassage] = useState<{ begun: SelectedSpan; selectIn: number | undefined }>();
  const begun = passage?.begun;
  useFirstWord(passage?.selectIn);
  const end = useMemo(() => (chapters && range ? endOf(range) : undefined), [chapters, range]);
  const isEnding = begun !== undefined && end !== undefined && end.idx > begun.fragment_idx;
  usePreview(isEnding ? end.element : undefined, range);
  const next = end?.isLast && end.idx + 1 < (chapters?.length ?? 0) ? end.idx + 1 : undefined;
  return {
    /** The selection with which the passage begins. */
    begun,
    /** Whether the selection can be the end of the passage. */
    isEnding,
    /** The chapter in which the selection can go on, because it reaches the end of its own. */
    next,
    /** Whether the chapters are the pages of a fixed-layout book. */
    isPage: end?.element.getRootNode() instanceof ShadowRoot,
    /** Opens the chapter in which the passage goes on. */
    goOn({ begun, chapter, byKeyboard }: GoingOn & { begun: SelectedSpan }): void {
      setPassage({ begun, selectIn: byKeyboard ? chapter : undefined });
      getSelection()?.removeAllRanges();
      requestFragment(chapter, { isReadingOn: true });
    },
    stop: () => setPassage(undefined),
  };
}

export interface GoingOn {
  chapter: number;
  byKeyboard: boolean;
}

export type ContinuedPassage = ReturnType<typeof useContinuedPassage>;

/** Selects the first word of a chapter once it is on the page. The keyboard can extend a selection, but not begin one. */
function useFirstWord(chapter: number | undefined): void {
  useEffect(() => {
    if (chapter === undefined) return;
    const place = () => {
      const element = elementOf(chapter);
      if (!element) return;
      observer.disconnect();
      const selection = getSelection();
      selection?.collapse(element, 0);
      selection?.modify('extend', 'forward', 'word');
    };
    const observer = new MutationObserver(place);
    observer.observe(document.body, { childList: true, subtree: true });
    place();
    return () => observer.disconnect();
  }, [chapter]);
}

/** Marks the text from the beginning of the chapter to the selection, because the passage includes it. */
function usePreview(chapter: Element | undefined, range: Range | undefined): void {
  useEffect(() => {
    if (!chapter || !range) return;
    const whole = range.cloneRange();
    whole.setStart(chapter, 0);
    painter?.set(NAME, new Highlight(whole));
    return () => void painter?.delete(NAME);
  }, [chapter, range]);
}
