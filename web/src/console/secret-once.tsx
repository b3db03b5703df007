import { Button } from '../ui/button.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { CopyButton } from './copy-button.tsx';

/** Shown once, when it is made. */
export interface Secret {
  title: string;
  /** What it is: `secret`, `key`. */
  what: string;
  secret: string;
  hint: string;
}

export interface SecretOnceProps extends Secret {
  onClose: () => void;
}

/** A secret that Nexus does not keep in a form that it could show again. */
export function SecretOnce({ title, what, secret, hint, onClose }: SecretOnceProps) {
  return (
    <Dialog
      open
      onClose={onClose}
      title={title}
      lead={`This is the only time that the ${what} is shown. Copy it now.`}
      actions={
        <>
          <Button onClick={onClose}>I have it</Button>
          <CopyButton prominent text={secret} label={`Copy the ${what}`} />
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
