import { useEffect } from 'react';

/** Passes dropped files to `onFiles`, wherever on the page they are dropped, instead of saving them. */
export function useDroppedFiles(onFiles: (files: File[]) => void): void {
  useEffect(() => {
    const take = (event: DragEvent): boolean => {
      if (!event.dataTransfer?.types.includes('Files')) return false;
      event.preventDefault();
      event.stopPropagation();
      return true;
    };
    const onDrop = (event: DragEvent) => {
      if (take(event)) onFiles([...(event.dataTransfer?.files ?? [])]);
    };
    // In the capture phase, before the listeners that save files.
    document.addEventListener('dragover', take, true);
    document.addEventListener('drop', onDrop, true);
    return () => {
      document.removeEventListener('dragover', take, true);
      document.removeEventListener('drop', onDrop, true);
    };
  }, [onFiles]);
}
