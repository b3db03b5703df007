import './secret-dialog.css';
import type { ReactNode } from 'react';
import { Button } from './button.tsx';
import { CopyButton } from './copy-button.tsx';
import { Dialog } from './dialog.tsx';

/** A secret that is shown once, when it is created. */
export interface Secret {
  title: string;
  /** Its name in a sentence: `secret`, `key`, `link`. */
  noun: string;
  secret: string;
  hint: ReactNode;
}

export function SecretDialog(props: Secret & { onClose: () => void }) {
  const { title, noun, secret, hint, onClose } = props;
  return (
    <Dialog
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
      <code className="secret" data-secret>
        {secret}
      </code>
      <p className="secret-hint">{hint}</p>
    </Dialog>
  );
}
