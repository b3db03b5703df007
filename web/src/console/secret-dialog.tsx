import { Button } from '../ui/button.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { CopyButton } from './values.tsx';

/** A secret that is shown once, when it is created. */
export interface Secret {
  title: string;
  /** Its name in a sentence: `secret`, `key`, `link`. */
  noun: string;
  secret: string;
  hint: string;
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
      <code className="console-secret" data-secret>
        {secret}
      </code>
      <p className="muted small console-gap">{hint}</p>
    </Dialog>
  );
}
