import { Button } from '../ui/button.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { CopyButton } from './copy-button.tsx';

/** A secret that is shown once, when it is created. */
export interface Secret {
  title: string;
  /** Its name in a sentence: `secret`, `key`, `link`. */
  noun: string;
  secret: string;
  hint: string;
}

export interface SecretDialogProps extends Secret {
  onClose: () => void;
}

export function SecretDialog({ title, noun, secret, hint, onClose }: SecretDialogProps) {
  return (
    <Dialog
      open
      onClose={onClose}
      title={title}
      lead={`Copy this ${noun} now. It will not be shown again.`}
      actions={
        <>
          <Button onClick={onClose}>Done</Button>
          <CopyButton prominent text={secret} label={`Copy ${noun}`} />
        </>
      }
    >
      <code className="console-secret" data-secret>
        {secret}
      </code>
      <p className="muted small console-gap">{hint}</p>
    </Dialog>
  );
}
