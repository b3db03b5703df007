import { type FormEvent, type ReactNode, useId } from 'react';
import { Button } from './button.tsx';
import { Dialog, type DialogProps } from './dialog.tsx';

export interface FormDialogProps extends Pick<DialogProps, 'title' | 'lead' | 'size' | 'onClose'> {
  /** The label of the submit button. */
  action: string;
  busy: boolean;
  onSubmit: (form: FormData) => void;
  children: ReactNode;
}

/** A dialog with a form. Its button, or Enter in a field, submits it. */
export function FormDialog({ action, busy, onSubmit, children, ...dialog }: FormDialogProps) {
  const id = useId();
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    onSubmit(new FormData(event.currentTarget));
  };
  return (
    <Dialog
      open
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
      <form id={id} onSubmit={submit} className="stack">
        {children}
      </form>
    </Dialog>
  );
}
