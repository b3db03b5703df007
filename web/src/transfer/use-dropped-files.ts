import { useEffect } from 'react';

/** Elsewhere in the app what is dropped is saved. While this is used it is handed over, wherever on the page it falls. */
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
    // On the way down, before the listeners that save.
    document.addEventListener('dragover', take, true);
    document.addEventListener('drop', onDrop, true);
    return () => {
      document.removeEventListener('dragover', take, true);
      document.removeEventListener('drop', onDrop, true);
    };
  }, [onFiles]);
}
