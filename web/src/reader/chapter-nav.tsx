import { ChevronLeft, ChevronRight } from 'lucide-react';
import { Button } from '../ui/button.tsx';

interface ChapterNavProps {
  chapter: number;
  count: number;
  /** Whether these are pages of a fixed-layout book. */
  isPage: boolean;
  /** Whether the next chapter is to the left. */
  isRightToLeft: boolean;
  onTurn: (chapter: number) => void;
}

/** Buttons for the previous and the next chapter or page. */
export function ChapterNav({ chapter, count, isPage, isRightToLeft, onTurn }: ChapterNavProps) {
  const [Before, After] = isRightToLeft ? [ChevronRight, ChevronLeft] : [ChevronLeft, ChevronRight];
  return (
    <nav
      className="chapter-nav"
      aria-label={isPage ? 'Pages' : 'Chapters'}
      dir={isRightToLeft ? 'rtl' : 'ltr'}
    >
      <Button icon={Before} disabled={chapter === 0} onClick={() => onTurn(chapter - 1)}>
        Previous
      </Button>
      <span className="small muted" dir="ltr">
        {chapter + 1} of {count}
      </span>
      <Button look="primary" disabled={chapter === count - 1} onClick={() => onTurn(chapter + 1)}>
        Next
        <After size={16} aria-hidden />
      </Button>
    </nav>
  );
}
