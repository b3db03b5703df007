import './reader-pill.css';
import { Undo2, X } from 'lucide-react';
import { Button, IconButton } from '../ui/button.tsx';

interface BackToPlaceProps {
  onBack: () => void;
  onStay: () => void;
}

/** Offers the place that a visit has left. */
export function BackToPlace({ onBack, onStay }: BackToPlaceProps) {
  return (
    <div className="reader-pill" role="status">
      <Button icon={Undo2} size="small" onClick={onBack}>
        Back to where you were
      </Button>
      <IconButton label="Continue reading here" icon={X} size="small" onClick={onStay} />
    </div>
  );
}
