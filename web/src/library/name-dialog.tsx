import { type FormEvent, useId } from 'react';
import { Button } from '../ui/button.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { TextField } from '../ui/field.tsx';

export interface NameDialogProps {
  title: string;
  lead?: string;
  action: string;
  name?: string;
  busy: boolean;
  error: string | undefined;
  onName: (name: string) => void;
  onClose: () => void;
}

/** Asks what a library is called. */
export function NameDialog({
  title,
  lead,
  action,
  name = '',
  busy,
  error,
  onName,
  onClose,
}: NameDialogProps) {
  const form = useId();
  return (
    <Dialog
      open
      onClose={onClose}
      title={title}
      lead={lead}
      actions={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button look="primary" type="submit" form={form} busy={busy}>
            {action}
          </Button>
        </>
      }
    >
      <form
        id={form}
        onSubmit={(event: FormEvent<HTMLFormElement>) => {
          event.preventDefault();
          onName(String(new FormData(event.currentTarget).get('name') ?? ''));
        }}
      >
        <TextField label="Name" name="name" defaultValue={name} maxLength={100} error={error} required />
      </form>
    </Dialog>
  );
}
