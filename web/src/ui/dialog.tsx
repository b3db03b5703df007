import './dialog.css';
import { X } from 'lucide-react';
import { type ReactNode, useEffect, useId, useRef, useState } from 'react';
import { IconButton } from './button.tsx';
import { PortalContainer } from './portal.ts';

export interface DialogProps {
  open: boolean;
  onClose: () => void;
  title: ReactNode;
  lead?: ReactNode;
  children: ReactNode;
  /** Buttons at the bottom. */
  actions?: ReactNode;
  size?: 'normal' | 'wide';
  className?: string;
}

/** The field that gets the focus when the dialog opens. */
const FIRST_FIELD = '.dialog-body :is(input:not([type="checkbox"], [type="file"]), textarea)';

/**
 * A modal dialog, using the browser's own element: it traps the focus and makes the rest of the page inert. Libraries that
 * lock scrolling insert a style element, which the Content-Security-Policy forbids.
 */
export function Dialog({ open, ...rest }: DialogProps) {
  return open ? <OpenDialog {...rest} /> : null;
}

function OpenDialog({
  onClose,
  title,
  lead,
  children,
  actions,
  size = 'normal',
  className = '',
}: Omit<DialogProps, 'open'>) {
  const dialog = useRef<HTMLDialogElement>(null);
  const [container, setContainer] = useState<HTMLElement | null>(null);
  const titleId = useId();

  useEffect(() => {
    const element = dialog.current;
    const before = document.activeElement;
    setContainer(element);
    element?.showModal();
    element?.querySelector<HTMLElement>(FIRST_FIELD)?.focus();
    return () => {
      element?.close();
      if (before instanceof HTMLElement && before.isConnected) before.focus();
    };
  }, []);

  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: Escape closes it, too
    <dialog
      ref={dialog}
      className={`dialog ${size === 'wide' ? 'dialog-wide' : ''} ${className}`}
      aria-labelledby={titleId}
      onCancel={(event) => {
        if (event.target !== dialog.current) return;
        event.preventDefault();
        onClose();
      }}
      onClick={(event) => {
        if (event.target === dialog.current) onClose();
      }}
    >
      <PortalContainer value={container}>
        <header className="dialog-head">
          <h2 id={titleId} className="dialog-title">
            {title}
          </h2>
          <IconButton label="Close" icon={X} onClick={onClose} withTooltip={false} />
        </header>
        {lead && <p className="dialog-lead">{lead}</p>}
        <div className="dialog-body">{children}</div>
        {actions && <footer className="dialog-actions">{actions}</footer>}
      </PortalContainer>
    </dialog>
  );
}
