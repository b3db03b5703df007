import { TextField } from '../ui/field.tsx';
import { FormDialog, type FormDialogProps } from '../ui/form-dialog.tsx';

export interface NameDialogProps extends Omit<FormDialogProps, 'onSubmit' | 'children'> {
  name?: string;
  error: string | undefined;
  onName: (name: string) => void;
}

/** Asks for the name of a library. */
export function NameDialog({ name = '', error, onName, ...dialog }: NameDialogProps) {
  return (
    <FormDialog {...dialog} onSubmit={(form) => onName(String(form.get('name') ?? ''))}>
      <TextField label="Name" name="name" defaultValue={name} maxLength={100} error={error} required />
    </FormDialog>
  );
}
