import { Link } from '@tanstack/react-router';
import { useLayoutEffect, useRef } from 'react';
import { useSession } from '../session/session.ts';
import { sectionsFor } from './sections.ts';

/** The sections of the console, in one row. On narrow screens the row scrolls, and begins at the current section. */
export function ConsoleNav() {
  const { user } = useSession();
  const row = useRef<HTMLElement>(null);

  useLayoutEffect(() => {
    const current = row.current?.querySelector<HTMLElement>('[aria-current="page"]');
    if (!row.current || !current) return;
    // scrollIntoView would scroll the page, too.
    row.current.scrollLeft = current.offsetLeft - (row.current.clientWidth - current.offsetWidth) / 2;
  }, []);

  return (
    <nav ref={row} className="console-nav" aria-label="Console">
      {sectionsFor(user.role).map(({ path, label, icon: Icon }) => (
        <Link
          key={path}
          to={`/console/${path}` as string}
          className="console-nav-link"
          activeOptions={{ includeSearch: false }}
        >
          <Icon size={16} aria-hidden />
          {label}
        </Link>
      ))}
    </nav>
  );
}
