import type { ReactNode } from 'react';
import { Button } from '../ui/button.tsx';
import { Dialog } from '../ui/dialog.tsx';

export interface ConfirmDialogProps {
  title: string;
  /** What will happen, and whether it can be taken back. */
  children: ReactNode;
  action: string;
  danger?: boolean;
  busy: boolean;
  onConfirm: () => void;
  onClose: () => void;
}

/** For what cannot be undone, or touches many at once. */
export function ConfirmDialog({
  title,
  children,
  action,
  danger,
  busy,
  onConfirm,
  onClose,
}: ConfirmDialogProps) {
  return (
    <Dialog
      open
      onClose={onClose}
      title={title}
      actions={
        <>
          <Button onClick={onClose}>Leave it</Button>
          <Button look={danger ? 'danger' : 'primary'} busy={busy} onClick={onConfirm}>
            {action}
          </Button>
        </>
      }
    >
      {children}
    </Dialog>
  );
}
