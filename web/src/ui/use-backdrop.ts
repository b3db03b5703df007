import { type MouseEvent, type PointerEvent, useRef } from 'react';

/**
 * Handlers for a dialog that a click beside it closes. A press that begins inside does not close it, because selecting the
 * text of a field may end outside.
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
