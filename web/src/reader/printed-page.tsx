import './printed-page.css';
import { type FormEvent, type RefObject, useMemo, useRef, useState } from 'react';
import type { FragmentEntry } from '../api/types.ts';
import { useShortcuts } from '../keyboard/shortcuts.ts';
import { Button } from '../ui/button.tsx';
import { Popover } from '../ui/popover.tsx';
import { useLastPassed } from './last-passed.ts';
import type { Visited } from './visited.ts';

interface PrintedPage {
  label: string;
  fragment: number;
  element: string | undefined;
}

/** Lists the pages of the printed edition, in order. */
function printedPages(index: readonly FragmentEntry[]): PrintedPage[] {
  return index.flatMap(({ idx, printed_pages }) =>
    (printed_pages ?? []).map(({ label, element }) => ({ label, fragment: idx, element })),
  );
}

const NONE: PrintedPage[] = [];

interface PrintedPageNumberProps {
  index: readonly FragmentEntry[];
  /** The fragment that is shown, and the column that it is shown in. */
  fragment: number;
  column: RefObject<HTMLElement | null>;
  /** Changes when the column shows another text. */
  part: string;
  /** Whether the fragment is one page, so that it begins with its number. */
  isPage: boolean;
  onVisit: (visited: Visited) => void;
}

/** The page number of the printed edition, and a field to go to another page. Nothing for a book without page numbers. */
export function PrintedPageNumber(props: PrintedPageNumberProps) {
  const { index, fragment, column, part, isPage, onVisit } = props;
  const all = useMemo(() => printedPages(index), [index]);
  const here = useMemo(() => all.filter((page) => page.fragment === fragment), [all, fragment]);
  const ids = useMemo(() => here.map(({ element }) => (isPage ? undefined : element)), [here, isPage]);
  const passed = useLastPassed(column, ids, part);
  const [isOpen, setOpen] = useState(false);
  const box = useRef<HTMLDivElement>(null);
  const open = () => box.current?.querySelector('button')?.click();
  const hasPages = all.length > 0;
  useShortcuts(hasPages ? [{ keys: 'p', label: 'Go to page', group: 'Reader', run: open }] : NO_KEYS);
  if (!hasPages) return null;
  const before = all.findLast((page) => page.fragment < fragment);
  const current = here[isPage ? 0 : passed] ?? before;
  return (
    <div ref={box} className="printed-page">
      <Popover
        label="Go to page"
        align="end"
        isOpen={isOpen}
        onOpen={setOpen}
        trigger={
          <Button
            look="ghost"
            size="small"
            aria-label={current ? `p. ${current.label}, go to page` : 'p. –, go to page'}
          >
            {current ? `p. ${current.label}` : 'p. –'}
          </Button>
        }
      >
        <GoToPage
          pages={isOpen ? all : NONE}
          onGo={({ fragment: at, element }) => {
            setOpen(false);
            onVisit({ at, ...(element !== undefined && { to: element }) });
          }}
        />
      </Popover>
    </div>
  );
}

const NO_KEYS: [] = [];

function GoToPage({ pages, onGo }: { pages: PrintedPage[]; onGo: (page: PrintedPage) => void }) {
  const [typed, setTyped] = useState('');
  const [missing, setMissing] = useState<string>();
  const submit = (event: FormEvent) => {
    event.preventDefault();
    const wanted = typed.trim().toLowerCase();
    const page = pages.find(({ label }) => label.toLowerCase() === wanted);
    if (page) onGo(page);
    else setMissing(wanted);
  };
  return (
    <form className="go-to-page" onSubmit={submit}>
      <label className="go-to-page-row">
        <span>Go to page</span>
        <input
          className="input"
          aria-describedby="go-to-page-hint"
          value={typed}
          onChange={(event) => setTyped(event.target.value)}
        />
      </label>
      <p id="go-to-page-hint" className="small muted" role="status">
        {missing ? `This book has no page ${missing}. ` : ''}
        Pages {pages[0]?.label} to {pages.at(-1)?.label} of the printed edition.
      </p>
      <Button look="primary" type="submit" size="small" disabled={typed.trim() === ''}>
        Go
      </Button>
    </form>
  );
}
