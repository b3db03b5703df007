import './dialog.css';
import { X } from 'lucide-react';
import { type ReactNode, useEffect, useId, useRef, useState } from 'react';
import { Button, IconButton } from './button.tsx';
import { Form, type FormProps } from './field.tsx';
import { PortalContainer } from './portal.ts';
import { useBackdrop } from './use-backdrop.ts';

interface DialogProps {
  onClose: () => void;
  title: ReactNode;
  lead?: ReactNode;
  children: ReactNode;
  actions?: ReactNode;
  size?: 'normal' | 'wide';
  className?: string;
}

/** The field that gets the focus when the dialog opens. */
const FIRST_FIELD = '.dialog-body :is(input:not([type="checkbox"], [type="file"]), textarea)';

/**
 * Returns the elements that get the focus when the dialog closes; the first that is still there gets it. For an item of a
 * menu, that is the button of the menu. Around a row that was deleted, it is the list.
 */
function openersOf(active: Element | null): HTMLElement[] {
  const menuButtonId = active?.closest('[role="menu"]')?.getAttribute('aria-labelledby');
  const opener = menuButtonId ? document.getElementById(menuButtonId) : active;
  const openers: HTMLElement[] = [];
  for (let element = opener; element; element = element.parentElement) {
    const isFocusable = element === opener || element.hasAttribute('tabindex');
    if (isFocusable && element instanceof HTMLElement) openers.push(element);
  }
  return openers;
}

/**
 * A modal dialog, using the browser's own element: it traps the focus and makes the rest of the page inert. Libraries that
 * lock scrolling insert a style element, which the Content-Security-Policy forbids.
 */
export function Dialog(props: DialogProps) {
  const { onClose, title, lead, children, actions, size = 'normal', className = '' } = props;
  const dialog = useRef<HTMLDialogElement>(null);
  const backdrop = useBackdrop(onClose);
  const [container, setContainer] = useState<HTMLElement | null>(null);
  const titleId = useId();

  useEffect(() => {
    const element = dialog.current;
    const openers = openersOf(document.activeElement);
    setContainer(element);
    element?.showModal();
    element?.querySelector<HTMLElement>(FIRST_FIELD)?.focus();
    return () => {
      element?.close();
      openers.find(({ isConnected }) => isConnected)?.focus({ preventScroll: true });
    };
  }, []);

  return (
    <dialog
      ref={dialog}
      className={`dialog ${size === 'wide' ? 'dialog-wide' : ''} ${className}`}
      aria-labelledby={titleId}
      onCancel={(event) => {
        if (event.target !== dialog.current) return;
        event.preventDefault();
        onClose();
      }}
      {...backdrop}
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

interface ConfirmDialogProps extends Pick<DialogProps, 'title' | 'onClose' | 'children'> {
  action: string;
  dismiss?: string;
  danger?: boolean;
  busy?: boolean;
  onConfirm: () => void;
}

/** Asks for confirmation of an action that cannot be undone, or that changes many things at once. */
export function ConfirmDialog(props: ConfirmDialogProps) {
  const { action, dismiss = 'Cancel', danger = false, busy, onConfirm, ...dialog } = props;
  return (
    <Dialog
      {...dialog}
      actions={
        <>
          <Button onClick={dialog.onClose}>{dismiss}</Button>
          <Button look={danger ? 'danger' : 'primary'} busy={busy} onClick={onConfirm}>
            {action}
          </Button>
        </>
      }
    />
  );
}

export interface FormDialogProps
  extends Pick<DialogProps, 'title' | 'lead' | 'size' | 'onClose' | 'children'>,
    Pick<FormProps, 'onSubmit'> {
  action: string;
  busy: boolean;
}

/** A dialog with a form. Its button, or Enter in a field, submits it. */
export function FormDialog({ action, busy, onSubmit, children, ...dialog }: FormDialogProps) {
  const id = useId();
  return (
    <Dialog
      {...dialog}
      actions={
        <>
          <Button onClick={dialog.onClose}>Cancel</Button>
          <Button look="primary" type="submit" form={id} busy={busy}>
            {action}
          </Button>
        </>
      }
    >
      <Form id={id} onSubmit={onSubmit}>
        {children}
      </Form>
    </Dialog>
  );
}
