import { useState } from 'react';
import { useSession } from '../session/session.ts';
import { findDraft, forgetDraft, keepDraft, takeDraft } from './drafts.ts';

/** The names of the fields that have drafts. */
export const draftFields = {
  itemNote: (mediaId: string) => `note ${mediaId}`,
  highlightNote: (highlightId: string) => `highlight ${highlightId}`,
  reply: (highlightId: string) => `reply ${highlightId}`,
};

/** The draft of a field: the text that was typed and not saved, also in a tab that was closed. */
export function useDraft(field: string) {
  const user = useSession().user.id;
  return {
    /** Returns whether there is a draft that differs from the saved text. Forgets one that does not differ. */
    isPending(saved: string): boolean {
      const found = findDraft(user, field);
      if (found?.text !== saved) return found !== undefined;
      takeDraft(user, field);
      forgetDraft(user, field);
      return false;
    },
    take: () => takeDraft(user, field),
    keep: (text: string, base: string) =>
      text === base ? forgetDraft(user, field) : keepDraft(user, field, { text, base }),
    forget: () => forgetDraft(user, field),
  };
}

/** The text of a field that is saved on demand. It begins with the draft, if there is one. */
export function useDraftedText(field: string, saved: string) {
  const draft = useDraft(field);
  const [state, setState] = useState(() => {
    const kept = draft.take();
    return { text: kept?.text ?? saved, base: kept?.base ?? saved, isRestored: kept !== undefined };
  });
  return {
    ...state,
    type(text: string) {
      draft.keep(text, state.base);
      setState({ ...state, text });
    },
    /** Forgets the draft, once it is saved or given up. */
    finish(text = '') {
      draft.forget();
      setState({ text, base: text, isRestored: false });
    },
  };
}
