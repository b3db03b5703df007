import type { ReactNode } from 'react';
import { Button } from './button.tsx';
import { Dialog } from './dialog.tsx';

export interface ConfirmDialogProps {
  title: string;
  /** What will happen, and whether it can be undone. */
  children: ReactNode;
  /** The label of the button that confirms. */
  action: string;
  /** The label of the button that closes the dialog. */
  dismiss?: string;
  danger?: boolean;
  busy?: boolean;
  onConfirm: () => void;
  onClose: () => void;
}

/** Asks for confirmation of an action that cannot be undone, or that changes many things at once. */
export function ConfirmDialog(props: ConfirmDialogProps) {
  const { title, children, action, dismiss = 'Cancel', danger = false, busy = false } = props;
  return (
    <Dialog
      open
      onClose={props.onClose}
      title={title}
      actions={
        <>
          <Button onClick={props.onClose}>{dismiss}</Button>
          <Button look={danger ? 'danger' : 'primary'} busy={busy} onClick={props.onConfirm}>
            {action}
          </Button>
        </>
      }
    >
      {children}
    </Dialog>
  );
}
