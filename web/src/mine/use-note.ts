import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { ApiError, api, errorMessage } from '../api/client.ts';
import type { Media, Mine } from '../api/types.ts';
import { draftFields, useDraft } from '../drafts/use-draft.ts';
import { patchMedia } from '../library/media-list.ts';
import { showToast } from '../ui/toasts.tsx';
import { useWindowEvent } from '../ui/use-window-event.ts';

/** The note as the server had it when the edit began, and the tag of that state. */
interface Base {
  note: string;
  tag: string | undefined;
}

interface NoteState {
  /** The typed text while the note is edited. */
  draft?: string | undefined;
  status?: 'saving' | 'saved' | undefined;
  error?: string | undefined;
  /** The note that another device has saved in the meantime. */
  other?: string | undefined;
}

/**
 * Edits the note of a media without overwriting a change that the person has not seen. Text that is not saved yet is kept as
 * a draft, and sent when the page is closed.
 */
export function useNote({ id, mine }: Media) {
  const queryClient = useQueryClient();
  const [state, setState] = useState<NoteState>({});
  const base = useRef<Base>(undefined);
  const loading = useRef<Promise<Base>>(undefined);
  const isMounted = useRef(true);
  useEffect(() => {
    isMounted.current = true;
    return () => {
      isMounted.current = false;
    };
  }, []);
  const path = `/media/${id}/mine`;
  const draftOf = useDraft(draftFields.itemNote(id));

  async function load(): Promise<Base> {
    const { data, tag } = await api.getTagged<Mine>(path);
    patchMedia(queryClient, { id, mine: data });
    return { note: data.note ?? '', tag };
  }

  /** Returns the state that the edit is based on. It is loaded once for each edit, and again after a failure. */
  async function readBase(): Promise<Base> {
    if (base.current) return base.current;
    loading.current ??= load();
    try {
      base.current = await loading.current;
      return base.current;
    } finally {
      loading.current = undefined;
    }
  }

  async function write(note: string, tag: string | undefined, { keepalive = false } = {}): Promise<void> {
    const edited = await api.patchData<Mine>(path, { note: note || null }, { ifMatch: tag, keepalive });
    draftOf.forget();
    patchMedia(queryClient, { id, mine: edited });
  }

  /** Saves the note, unless it was changed elsewhere. A change of another field is not a conflict. */
  async function writeUnlessChanged(note: string): Promise<Base | undefined> {
    for (;;) {
      try {
        await write(note, base.current?.tag);
        return undefined;
      } catch (error) {
        if (!(error instanceof ApiError) || error.status !== 412) throw error;
        const now = await load();
        if (now.note !== base.current?.note) return now;
        base.current = now;
      }
    }
  }

  async function edit(): Promise<void> {
    const kept = draftOf.take();
    const begun = kept?.text ?? mine.note ?? '';
    base.current = undefined;
    setState({ draft: begun });
    try {
      const { note } = await readBase();
      if (kept && kept.base !== note && kept.text !== note)
        return setState({ draft: kept.text, other: note });
      // Text that was typed while the note was loading stays.
      setState((now) => (!kept && now.draft === begun ? { draft: note } : now));
    } catch (error) {
      // The typed text stays, and saving it tries again.
      setState(({ draft, ...now }) => (draft === undefined ? now : { draft, error: errorMessage(error) }));
    }
  }

  const latest = useRef<NoteState>(state);
  latest.current = state;
  useWindowEvent('pagehide', () => {
    const { draft, other } = latest.current;
    const known = base.current;
    if (draft === undefined || other !== undefined || !known || draft === known.note) return;
    // A request that fails now leaves the draft, which is restored with the field.
    write(draft, known.tag, { keepalive: true }).catch(() => undefined);
  });

  async function save(): Promise<void> {
    const { draft, status, other } = state;
    if (draft === undefined || status === 'saving' || other !== undefined) return;
    const note = draft.trim() === '' ? '' : draft;
    if (note === (base.current?.note ?? mine.note ?? '')) {
      draftOf.forget();
      return setState({});
    }
    setState({ draft, status: 'saving' });
    try {
      const isLate = base.current === undefined;
      const known = await readBase();
      const isOther = isLate && known.note !== (mine.note ?? '');
      const conflict = isOther ? known : await writeUnlessChanged(note);
      if (!conflict) return setState({ status: 'saved' });
      if (!isMounted.current) return offerToReplace(note);
      base.current = conflict;
      setState({ draft, other: conflict.note });
    } catch (error) {
      if (!isMounted.current) showToast(`The note was not saved. ${errorMessage(error)}`);
      setState({ draft, error: errorMessage(error) });
    }
  }

  /** The page of the note is gone, so the person decides in a toast. */
  function offerToReplace(note: string): void {
    const run = () => void write(note, undefined).catch((error: unknown) => showToast(errorMessage(error)));
    showToast('The note was not saved because it was changed on another device.', {
      action: { label: 'Save mine', run },
    });
  }

  return {
    ...state,
    note: mine.note,
    isEditing: state.draft !== undefined,
    edit,
    save,
    hasDraft: () => draftOf.isPending(mine.note ?? ''),
    type: (draft: string) => {
      draftOf.keep(draft, base.current?.note ?? mine.note ?? '');
      setState((now) => ({ draft, other: now.other }));
    },
    /** After a conflict: saves the typed text, or uses the other note. */
    keepMine: async () => {
      if (state.draft === undefined) return;
      const { draft } = state;
      setState({ draft, status: 'saving' });
      try {
        const conflict = await writeUnlessChanged(draft);
        if (conflict) base.current = conflict;
        setState(conflict ? { draft, other: conflict.note } : { status: 'saved' });
      } catch (error) {
        setState({ draft, error: errorMessage(error) });
      }
    },
    takeOther: () => {
      draftOf.forget();
      setState({});
    },
  };
}
