import { type MouseEvent, type PointerEvent, useRef } from 'react';

/**
 * Handlers of a dialog that is closed by a click beside it. A click that was pressed inside is none: selecting the text of a
 * field may end outside.
 */
export function useBackdrop(onClose: () => void) {
  const isPressed = useRef(false);
  // The backdrop belongs to the dialog element, whose contents cover the rest of it.
  return {
    onPointerDown: (event: PointerEvent) => {
      isPressed.current = event.target === event.currentTarget;
    },
    onClick: (event: MouseEvent) => {
      if (isPressed.current && event.target === event.currentTarget) onClose();
    },
  };
}
