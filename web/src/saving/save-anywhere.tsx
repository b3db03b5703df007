import './save-dialog.css';
import { FileDown } from 'lucide-react';
import { useEffect, useState } from 'react';
import { showToast } from '../ui/toasts.ts';
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

  useEffect(() => {
    const onPaste = (event: ClipboardEvent) => {
      if (isEditable(event.target) || !event.clipboardData) return;
      const { files } = event.clipboardData;
      const text = event.clipboardData.getData('text/plain');
      if ((files.length > 0 || isOnlyLinks(text)) && saveAll(files, text)) event.preventDefault();
    };
    // Ignores what is dragged from this page itself.
    let isFromHere = false;
    const onStart = () => {
      isFromHere = true;
    };
    const onEnd = () => {
      isFromHere = false;
    };
    const isOurs = (event: DragEvent) =>
      !isFromHere &&
      (event.dataTransfer?.types.some((type) => type === 'Files' || type === 'text/uri-list') ?? false);
    const onOver = (event: DragEvent) => {
      if (!isOurs(event)) return;
      event.preventDefault();
      setOver(true);
    };
    const onLeave = (event: DragEvent) => {
      if (event.relatedTarget === null) setOver(false);
    };
    const onDrop = (event: DragEvent) => {
      setOver(false);
      if (!isOurs(event)) return;
      event.preventDefault();
      saveAll(event.dataTransfer?.files, event.dataTransfer?.getData('text/uri-list') ?? '');
    };
    window.addEventListener('paste', onPaste);
    window.addEventListener('dragstart', onStart);
    window.addEventListener('dragend', onEnd);
    window.addEventListener('dragover', onOver);
    window.addEventListener('dragleave', onLeave);
    window.addEventListener('drop', onDrop);
    return () => {
      window.removeEventListener('paste', onPaste);
      window.removeEventListener('dragstart', onStart);
      window.removeEventListener('dragend', onEnd);
      window.removeEventListener('dragover', onOver);
      window.removeEventListener('dragleave', onLeave);
      window.removeEventListener('drop', onDrop);
    };
  }, []);

  if (!isOver) return null;
  return (
    <div className="drop-overlay">
      <FileDown size={40} aria-hidden />
      Drop to save
    </div>
  );
}
