import { useQueryClient } from '@tanstack/react-query';
import { type HighlightColor, selectorsOf } from '../../../src/contract/highlight-selectors.ts';
import { ApiError, api, errorMessage } from '../api/client.ts';
import { invalidate, queryKeys } from '../api/queries.ts';
import type { Highlight } from '../api/types.ts';
import { showToast } from '../ui/toasts.tsx';
import type { SelectedSpan } from './selected-spans.ts';

type Changes = Partial<Pick<Highlight, 'color' | 'note' | 'visibility'>> & { target?: object };

/** An edited text, and the saved text that the edit is based on. */
export interface NoteEdit {
  text: string;
  base: string;
}

const COLOR = 'nexus.highlight-color';
/** Passages are highlighted one after the other, so that a double click does not highlight one twice. */
let lastMade: Promise<unknown> = Promise.resolve();

export const CANNOT_HIGHLIGHT = 'This text cannot be highlighted.';

/** The colour that the person has used last. */
export function lastColor(): HighlightColor {
  return (localStorage.getItem(COLOR) as HighlightColor | null) ?? 'yellow';
}

function targetOf({ fragment_idx, start, end, exact }: SelectedSpan) {
  return {
    fragment_idx,
    selector: [
      { type: 'TextPositionSelector', start, end },
      { type: 'TextQuoteSelector', exact },
    ],
  };
}

/** Creates, changes and deletes highlights of a media. Errors are shown as toasts. */
export function useHighlightActions(mediaId: string) {
  const queryClient = useQueryClient();
  const queryKey = queryKeys.mediaHighlights(mediaId);
  const update = (change: (known: Highlight[]) => Highlight[]) =>
    queryClient.setQueryData<Highlight[]>(queryKey, (known) => known && change(known));
  const refetch = () => invalidate(queryClient, queryKeys.highlights());

  async function attempt<T>(run: () => Promise<T>): Promise<T | undefined> {
    try {
      const result = await run();
      void refetch();
      return result;
    } catch (error) {
      showToast(errorMessage(error));
      await refetch();
      return undefined;
    }
  }

  const replace = (changed: Highlight) =>
    update((known) => known.map((one) => (one.id === changed.id ? changed : one)));

  /** Highlights a passage. The same passage again gets another colour. */
  async function highlight(span: SelectedSpan, color: HighlightColor): Promise<Highlight> {
    const same = queryClient.getQueryData<Highlight[]>(queryKey)?.find((one) => isSame(one, span));
    if (same) {
      const changed = await api.patchData<Highlight>(`/highlights/${same.id}`, { color });
      replace(changed);
      return changed;
    }
    const body = { target: targetOf(span), color, ...(span.pdf && { pdf: span.pdf }) };
    const created = await api.postData<Highlight>(`/media/${mediaId}/highlights`, body);
    update((known) => inOrder([...known.filter(({ id }) => id !== created.id), created]));
    return created;
  }

  return {
    /** Highlights passages, such as one for each page of a PDF. Returns the first of them. */
    async create(spans: readonly SelectedSpan[], color: HighlightColor): Promise<Highlight | undefined> {
      localStorage.setItem(COLOR, color);
      if (spans.length === 0) {
        showToast(CANNOT_HIGHLIGHT);
        return undefined;
      }
      const made = lastMade.then(() =>
        attempt(async () => {
          const highlights: Highlight[] = [];
          for (const span of spans) highlights.push(await highlight(span, color));
          return highlights[0];
        }),
      );
      lastMade = made;
      return made;
    },

    edit: (id: string, changes: Changes) =>
      attempt(async () => {
        const changed = await api.patchData<Highlight>(`/highlights/${id}`, changes);
        replace(changed);
        return changed;
      }),

    /** Saves a note. If another note was saved since the edit began, returns that one and saves nothing. */
    async editNote(id: string, { text, base }: NoteEdit): Promise<{ conflict?: string }> {
      for (;;) {
        const { data, tag } = await api.getTagged<Highlight>(`/highlights/${id}`);
        const now = data.note ?? '';
        if (now !== base && now !== text) return { conflict: now };
        try {
          replace(
            await api.patchData<Highlight>(`/highlights/${id}`, { note: text || null }, { ifMatch: tag }),
          );
          void refetch();
          return {};
        } catch (error) {
          // The highlight was changed between the two requests.
          if (!(error instanceof ApiError) || error.status !== 412) throw error;
        }
      }
    },

    /** Moves a highlight to another passage, with an Undo. */
    async move(highlight: Highlight, span: SelectedSpan): Promise<void> {
      const { fragment_idx } = highlight.target;
      const { position, quote } = selectorsOf(highlight);
      const changed = await this.edit(highlight.id, { target: targetOf(span) });
      if (!changed) return;
      const before = targetOf({ ...position, exact: quote.exact, fragment_idx });
      const run = () => void this.edit(highlight.id, { target: before });
      showToast('Moved the highlight', { action: { label: 'Undo', run } });
    },

    /** Deletes a highlight. Undo creates it again, without its replies. */
    async remove(highlight: Highlight): Promise<void> {
      const { id, target, color, note, visibility, pdf } = highlight;
      const isGone = await attempt(async () => {
        await api.delete(`/highlights/${id}`);
        update((known) => known.filter((one) => one.id !== id));
        return true;
      });
      if (!isGone) return;
      const body = { target, color, visibility, ...(note && { note }), ...(pdf && { pdf }) };
      const run = () => void attempt(() => api.postData(`/media/${mediaId}/highlights`, body));
      showToast('Deleted the highlight', { action: { label: 'Undo', run } });
    },

    markSeen: (id: string) => attempt(() => api.put(`/highlights/${id}/seen`, undefined)),
  };
}

export type HighlightActions = ReturnType<typeof useHighlightActions>;

function isSame(highlight: Highlight, { fragment_idx, start, end }: SelectedSpan): boolean {
  const { position } = selectorsOf(highlight);
  return (
    highlight.is_mine &&
    highlight.target.fragment_idx === fragment_idx &&
    position.start === start &&
    position.end === end
  );
}

function inOrder(highlights: Highlight[]): Highlight[] {
  const startOf = (one: Highlight) => selectorsOf(one).position.start;
  return highlights.sort((a, b) => a.target.fragment_idx - b.target.fragment_idx || startOf(a) - startOf(b));
}

/** The address of a highlight in the reader. */
export function linkTo({ id, media_id, target }: Pick<Highlight, 'id' | 'media_id' | 'target'>): string {
  return `${location.origin}/app/read/${media_id}?at=${target.fragment_idx}&highlight=${id}`;
}
