import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { Inbox, LibraryBig, Plus, Rows3, Search, Trash2 } from 'lucide-react';
import { CONSOLE_PAGES } from '../console/routes.tsx';
import { invitationsQuery, librariesQuery } from '../library/queries.ts';
import { roleAllows, useSession } from '../session/session.ts';
import { Badge } from '../ui/badge.tsx';
import { IconButton } from '../ui/button.tsx';
import { Skeleton } from '../ui/skeleton.tsx';
import { useDialogs } from './dialogs.ts';
import { Logo } from './logo.tsx';
import { PersonMenu } from './person-menu.tsx';

/** The main navigation: the person's library, shared libraries, and the console for operators. */
export function Sidebar() {
  const { user, default_library_id } = useSession();
  const libraries = useQuery(librariesQuery);
  const invitations = useQuery(invitationsQuery);
  const { show } = useDialogs();
  const own = libraries.data?.find(({ id }) => id === default_library_id);
  const others = libraries.data?.filter(({ id }) => id !== default_library_id);
  const pages = CONSOLE_PAGES.filter(({ nav, minimumRole }) => nav && roleAllows(user.role, minimumRole));
  return (
    <aside className="sidebar" aria-label="Navigation">
      <div className="sidebar-head">
        <Link to="/" className="wordmark">
          <Logo />
          Nexus
        </Link>
      </div>
      <nav className="sidebar-scroll" aria-label="Main">
        <Link to="/" className="nav-link" activeOptions={{ exact: true, includeSearch: false }}>
          <LibraryBig size={18} aria-hidden />
          My library
          <Count value={own?.unread_count} />
        </Link>
        <Link to="/search" className="nav-link" activeOptions={{ includeSearch: false }}>
          <Search size={18} aria-hidden />
          Search
        </Link>
        <Link to="/invitations" className="nav-link">
          <Inbox size={18} aria-hidden />
          Invitations
          {(invitations.data?.length ?? 0) > 0 && (
            <span className="nav-count">
              <Badge tone="solid">{invitations.data?.length}</Badge>
            </span>
          )}
        </Link>

        <Link to="/trash" className="nav-link">
          <Trash2 size={18} aria-hidden />
          Trash
        </Link>

        <div className="nav-section">
          Libraries
          <IconButton label="New library" icon={Plus} size="small" onClick={() => show('new-library')} />
        </div>
        {others?.map((library) => (
          <Link
            key={library.id}
            to="/library/$libraryId"
            params={{ libraryId: library.id }}
            className="nav-link"
            activeOptions={{ includeSearch: false }}
          >
            <Rows3 size={18} aria-hidden />
            <span className="truncate">{library.name}</span>
            <Count value={library.unread_count} />
          </Link>
        ))}
        {others === undefined && <Skeleton height="2.25rem" />}
        {others?.length === 0 && (
          <button type="button" className="nav-link" onClick={() => show('new-library')}>
            <Plus size={18} aria-hidden />
            New library
          </button>
        )}

        {pages.length > 0 && <div className="nav-section">Console</div>}
        {pages.map(({ path, nav }) =>
          nav ? (
            <Link
              key={path}
              to={`/console/${path}` as string}
              className="nav-link"
              activeOptions={{ includeSearch: false }}
            >
              <nav.icon size={18} aria-hidden />
              {nav.label}
            </Link>
          ) : null,
        )}
      </nav>
      <div className="sidebar-foot">
        <PersonMenu />
      </div>
    </aside>
  );
}

function Count({ value }: { value: number | undefined }) {
  if (!value) return null;
  return (
    <span className="nav-count">
      {value.toLocaleString()}
      <span className="visually-hidden"> unread</span>
    </span>
  );
}
