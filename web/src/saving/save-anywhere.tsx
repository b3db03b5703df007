import './save-dialog.css';
import { FileDown } from 'lucide-react';
import { useRef, useState } from 'react';
import { showToast } from '../ui/toasts.tsx';
import { useWindowEvent } from '../ui/use-window-event.ts';
import { findLinks, isOnlyLinks } from './links.ts';
import { saveFile, saveLink } from './saves.ts';

function saveAll(files: FileList | undefined, text: string): boolean {
  const links = files?.length ? [] : findLinks(text);
  for (const file of files ?? []) void saveFile(file);
  for (const link of links) void saveLink(link);
  const count = (files?.length ?? 0) + links.length;
  if (count > 0)
    showToast(count === 1 ? 'Saving to your library…' : `Saving ${count} items to your library…`);
  return count > 0;
}

function isEditable(target: EventTarget | null): boolean {
  return target instanceof Element && target.closest('input, textarea, select, [contenteditable]') !== null;
}

/** Saves links and files that are pasted or dropped anywhere on the page. */
export function SaveAnywhere() {
  const [isOver, setOver] = useState(false);
  const isFromHere = useRef(false);
  /** Whether it is a file or a link, dragged from outside of this page. */
  const isOurs = ({ dataTransfer }: DragEvent) =>
    !isFromHere.current &&
    (dataTransfer?.types.some((type) => type === 'Files' || type === 'text/uri-list') ?? false);

  useWindowEvent('paste', (event) => {
    if (isEditable(event.target) || !event.clipboardData) return;
    const { files } = event.clipboardData;
    const text = event.clipboardData.getData('text/plain');
    if ((files.length > 0 || isOnlyLinks(text)) && saveAll(files, text)) event.preventDefault();
  });
  useWindowEvent('dragstart', () => {
    isFromHere.current = true;
  });
  useWindowEvent('dragend', () => {
    isFromHere.current = false;
  });
  useWindowEvent('dragover', (event) => {
    if (!isOurs(event)) return;
    event.preventDefault();
    setOver(true);
  });
  useWindowEvent('dragleave', ({ relatedTarget }) => {
    if (relatedTarget === null) setOver(false);
  });
  useWindowEvent('drop', (event) => {
    setOver(false);
    if (!isOurs(event)) return;
    event.preventDefault();
    saveAll(event.dataTransfer?.files, event.dataTransfer?.getData('text/uri-list') ?? '');
  });

  if (!isOver) return null;
  return (
    <div className="drop-overlay">
      <FileDown size={40} aria-hidden />
      Drop to save
    </div>
  );
}
