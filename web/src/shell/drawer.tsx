import { type ReactNode, useEffect, useRef, useState } from 'react';
import { PortalContainer } from '../ui/portal.ts';

/** The sidebar on narrow screens. */
export function Drawer({
  open,
  onClose,
  children,
}: {
  open: boolean;
  onClose: () => void;
  children: ReactNode;
}) {
  const dialog = useRef<HTMLDialogElement>(null);
  const [container, setContainer] = useState<HTMLElement | null>(null);
  useEffect(() => {
    setContainer(dialog.current);
    if (open) dialog.current?.showModal();
    else dialog.current?.close();
  }, [open]);
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: Escape closes it, too
    <dialog
      ref={dialog}
      className="drawer"
      aria-label="Navigation"
      onClose={onClose}
      onClick={(event) => {
        if (event.target === dialog.current) onClose();
      }}
    >
      {open && <PortalContainer value={container}>{children}</PortalContainer>}
    </dialog>
  );
}
