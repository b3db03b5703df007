import type { ReactNode } from 'react';
import { Button } from '../ui/button.tsx';
import { Dialog } from '../ui/dialog.tsx';

export interface DeleteDialogProps {
  title: string;
  /** Says what is deleted, and that it cannot be undone. */
  children: ReactNode;
  action: string;
  busy: boolean;
  onConfirm: () => void;
  onClose: () => void;
}

export function DeleteDialog({ title, children, action, busy, onConfirm, onClose }: DeleteDialogProps) {
  return (
    <Dialog
      open
      onClose={onClose}
      title={title}
      actions={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button look="danger" busy={busy} onClick={onConfirm}>
            {action}
          </Button>
        </>
      }
    >
      <p>{children}</p>
    </Dialog>
  );
}
