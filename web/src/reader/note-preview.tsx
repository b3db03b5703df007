import './note-preview.css';
import { useQueryClient } from '@tanstack/react-query';
import { ArrowRight } from 'lucide-react';
import { type RefObject, useCallback, useEffect, useRef, useState } from 'react';
import { fragmentQuery } from '../library/queries.ts';
import { Button } from '../ui/button.tsx';
import { useWindowEvent } from '../ui/use-window-event.ts';
import { readLink } from './links.ts';

/** A reference to a footnote, as the server marks it. */
const REFERENCE = 'a[data-note]';
const HOVER_MS = 150;
const LEAVE_MS = 250;
const WIDTH = 384;
const GAP = 8;

interface Note {
  content: DocumentFragment;
  href: string;
  top: number;
  left: number;
}

interface NotePreviewProps {
  mediaId: string;
  /** The element with the text. */
  text: RefObject<HTMLElement | null>;
  onFollow: (href: string) => void;
}

/** Shows a footnote beside its reference: on hover, on focus, and on a tap instead of leaving the text. */
export function NotePreview({ mediaId, text, onFollow }: NotePreviewProps) {
  const queryClient = useQueryClient();
  const [note, setNote] = useState<Note>();
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  const close = useCallback(() => {
    clearTimeout(timer.current);
    setNote(undefined);
  }, []);
  const closeSoon = useCallback(() => {
    clearTimeout(timer.current);
    timer.current = setTimeout(close, LEAVE_MS);
  }, [close]);

  useEffect(() => {
    const element = text.current;
    if (!element) return;
    const show = async (link: Element) => {
      const href = link.getAttribute('href') ?? '';
      const { fragment, element: id } = readLink(href);
      const root =
        fragment === undefined
          ? element
          : parsed((await queryClient.fetchQuery(fragmentQuery(mediaId, fragment))).html_sanitized);
      const content = id === undefined ? undefined : noteIn(root, id);
      if (content === undefined || !link.isConnected) return;
      const { bottom, left, right } = link.getBoundingClientRect();
      const start = element.matches(':dir(rtl)') ? right - WIDTH : left;
      setNote({
        content,
        href,
        top: bottom + GAP,
        left: Math.max(GAP, Math.min(start, innerWidth - WIDTH - GAP)),
      });
    };
    const linkOf = (event: Event) => (event.target as Element).closest(REFERENCE);
    const showSoon = (event: Event) => {
      const link = linkOf(event);
      if (!link) return;
      clearTimeout(timer.current);
      // A note that cannot be fetched has no preview; the link still leads to it.
      timer.current = setTimeout(() => void show(link).catch(() => undefined), HOVER_MS);
    };
    const onClick = (event: Event) => {
      const link = linkOf(event);
      if (!link || (event as PointerEvent).pointerType !== 'touch') return;
      event.preventDefault();
      event.stopPropagation();
      void show(link).catch(() => undefined);
    };
    element.addEventListener('pointerover', showSoon);
    element.addEventListener('pointerout', closeSoon);
    element.addEventListener('focusin', showSoon);
    element.addEventListener('focusout', closeSoon);
    element.addEventListener('click', onClick, true);
    return () => {
      clearTimeout(timer.current);
      element.removeEventListener('pointerover', showSoon);
      element.removeEventListener('pointerout', closeSoon);
      element.removeEventListener('focusin', showSoon);
      element.removeEventListener('focusout', closeSoon);
      element.removeEventListener('click', onClick, true);
    };
  }, [text, mediaId, queryClient, closeSoon]);

  // Scrolling hides the note. A note whose timer runs is placed beside its reference when it is shown.
  useWindowEvent('scroll', () => setNote(undefined), { capture: true });
  useWindowEvent(
    'keydown',
    (event) => {
      if (!note || event.key !== 'Escape') return;
      event.stopPropagation();
      close();
    },
    { capture: true },
  );
  useWindowEvent('pointerdown', (event) => {
    if (note && !(event.target as Element).closest('.note-preview')) close();
  });

  if (!note) return null;
  return (
    <aside
      className="note-preview"
      aria-label="Footnote"
      style={{ top: note.top, left: note.left }}
      onPointerEnter={() => clearTimeout(timer.current)}
      onPointerLeave={closeSoon}
    >
      <div ref={(element) => element?.replaceChildren(note.content.cloneNode(true))} />
      <Button
        look="ghost"
        size="small"
        icon={ArrowRight}
        onClick={() => {
          close();
          onFollow(note.href);
        }}
      >
        Go to note
      </Button>
    </aside>
  );
}

/** Parses sanitised HTML without showing it. */
function parsed(html: string): ParentNode {
  return new DOMParser().parseFromString(html, 'text/html');
}

/** A copy of a footnote, without the link back to the text. An empty anchor stands for what is around it. */
function noteIn(root: ParentNode, id: string): DocumentFragment | undefined {
  const target = root.querySelector(`[id="${CSS.escape(id)}"]`);
  const isAnchor = (target?.textContent ?? '').trim().length < 3;
  const note = (isAnchor ? target?.closest('li, p, dd, aside, div') : target)?.cloneNode(true);
  if (!(note instanceof Element)) return undefined;
  for (const link of note.querySelectorAll('a'))
    if (!/[\p{L}\p{N}]/u.test(link.textContent ?? '')) link.remove();
  for (const element of note.querySelectorAll('[id]')) element.removeAttribute('id');
  const content = document.createDocumentFragment();
  content.append(...note.childNodes);
  return content;
}
