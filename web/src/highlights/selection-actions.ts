import { useQueryClient } from '@tanstack/react-query';
import type { HighlightColor } from '../../../src/contract/highlight-selectors.ts';
import { changeSidePanel } from '../analysis/side-panel-state.ts';
import type { Highlight } from '../api/types.ts';
import { showToast } from '../ui/toasts.tsx';
import { CANNOT_HIGHLIGHT, type HighlightActions, lastColor } from './actions.ts';
import type { ContinuedPassage, GoingOn } from './continued-passage.ts';
import { openHighlight } from './current-highlight.ts';
import { rangeInText } from './selected-range.ts';
import { type SelectedSpan, spansOf } from './selected-spans.ts';

const CANNOT_COPY = 'The browser does not allow copying here. Use Copy in the menu of the browser.';

interface SelectionActionsOptions {
  mediaId: string;
  actions: HighlightActions;
  own: Highlight | undefined;
  range: Range | undefined;
  passage: ContinuedPassage;
}

/** Returns the actions on the selection, or on the passage that it ends. */
export function useSelectionActions({ mediaId, actions, own, range, passage }: SelectionActionsOptions) {
  const queryClient = useQueryClient();
  const { isEnding, stop } = passage;

  const withSpans = async (use: (spans: SelectedSpan[]) => Promise<unknown>) => {
    // The selection may have changed since the bar was placed.
    const selection = rangeInText() ?? range;
    const options = { mediaId, queryClient, begun: isEnding ? passage.begun : undefined };
    if (selection) await use(await spansOf(selection, options));
  };
  const create = async (spans: SelectedSpan[], color: HighlightColor) => {
    const created = await actions.create(spans, color);
    if (created && isEnding) stop();
    return created;
  };
  const copyText = (text: string, done: string) =>
    navigator.clipboard.writeText(text).then(
      () => showToast(done),
      () => showToast(CANNOT_COPY),
    );

  return {
    mark: (color: HighlightColor) => withSpans((spans) => create(spans, color)),

    annotate: () =>
      withSpans(async (spans) => {
        const created = await create(spans, lastColor());
        if (!created) return;
        openHighlight(created.id, { isEditing: true, isFromText: true });
        changeSidePanel({ isOpen: true, tab: 'highlights' });
      }),

    /** Moves the opened highlight here. */
    move: () =>
      withSpans(async ([span]) => {
        if (!own || !span) return;
        await actions.move(own, span);
        if (isEnding) stop();
      }),

    /** Goes on with the passage in another chapter. */
    goOn: (to: GoingOn) =>
      withSpans(async ([begun]) => {
        if (begun) passage.goOn({ begun, ...to });
        else showToast(CANNOT_HIGHLIGHT);
      }),

    async copy() {
      // The selection is only the end of the passage.
      if (isEnding) await withSpans(async ([span]) => span && copyText(span.exact, 'Copied'));
      // The browser's own command keeps line breaks and formats, and leaves out the times of a transcript.
      else showToast(document.execCommand('copy') ? 'Copied' : CANNOT_COPY);
    },

    copyLink: () =>
      withSpans(async ([span]) => {
        if (!span) return;
        const search = new URLSearchParams({ at: String(span.fragment_idx), from: String(span.start) });
        search.set('q', `"${firstWords(span).replaceAll('"', '')}"`);
        await copyText(`${location.origin}/app/read/${mediaId}?${search}`, 'Copied a link to this passage');
      }),
  };
}

/** The first words of a passage, all in one fragment: those of a link are looked for there. */
export function firstWords({ exact, beginning = exact }: SelectedSpan): string {
  return beginning.split(/\s+/).slice(0, 8).join(' ');
}
