import '../reader/reader-pill.css';
import './begun-passage.css';
import { Highlighter } from 'lucide-react';
import { Button } from '../ui/button.tsx';
import { Kbd } from '../ui/kbd.tsx';

interface BegunPassageProps {
  /** The words with which the passage begins. */
  words: string;
  onCancel: () => void;
}

/** Asks for the end of a passage that was begun in another chapter. */
export function BegunPassage({ words, onCancel }: BegunPassageProps) {
  return (
    <div className="reader-pill begun-passage" role="status">
      <Highlighter size={18} aria-hidden />
      <p>
        <span>Select the last words</span>
        <span className="begun-words">Highlight from {quoted(words)}</span>
      </p>
      <Button size="small" look="ghost" onClick={onCancel}>
        Cancel
        <Kbd>Esc</Kbd>
      </Button>
    </div>
  );
}

/** The row of the selection bar for a passage that ends with the selection. */
export function EndingPassage({ words, onCancel }: BegunPassageProps) {
  return (
    <div className="passage-bar-row ending-passage">
      <span className="begun-words">From {quoted(words)}</span>
      <span className="ending-words">to here</span>
      <Button size="small" look="ghost" onClick={onCancel}>
        Cancel
      </Button>
    </div>
  );
}

const quoted = (words: string) => <bdi>“{words} …”</bdi>;
