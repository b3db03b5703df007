import { Check, Copy } from 'lucide-react';
import { useState } from 'react';
import { Button, IconButton } from './button.tsx';
import { showToast } from './toasts.tsx';

const SHOWN_MS = 2000;

interface CopyButtonProps {
  text: string;
  label: string;
  /** Shows the label as text. */
  prominent?: boolean;
}

export function CopyButton({ text, label, prominent = false }: CopyButtonProps) {
  const [isCopied, setCopied] = useState(false);
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(text);
      setCopied(true);
      setTimeout(() => setCopied(false), SHOWN_MS);
    } catch {
      showToast('The browser does not allow copying here. Select the text and copy it.');
    }
  };
  const icon = isCopied ? Check : Copy;
  if (!prominent) return <IconButton size="small" label={label} icon={icon} onClick={() => void copy()} />;
  return (
    <Button look="primary" icon={icon} onClick={() => void copy()}>
      {isCopied ? 'Copied' : label}
    </Button>
  );
}
