import { useWindowEvent } from './use-window-event.ts';

/** Passes dropped files to `onFiles`, wherever on the page they are dropped, instead of saving them. */
export function useDroppedFiles(onFiles: (files: File[]) => void): void {
  const take = (event: DragEvent): boolean => {
    if (!event.dataTransfer?.types.includes('Files')) return false;
    event.preventDefault();
    event.stopPropagation();
    return true;
  };
  // In the capture phase, before the listeners that save files.
  useWindowEvent('dragover', take, { capture: true });
  useWindowEvent(
    'drop',
    (event) => {
      if (take(event)) onFiles([...(event.dataTransfer?.files ?? [])]);
    },
    { capture: true },
  );
}
