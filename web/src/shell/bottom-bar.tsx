import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { Inbox, LibraryBig, Menu as MenuIcon, Plus, Search } from 'lucide-react';
import { invitationsQuery } from '../library/queries.ts';
import { useDialogs } from './dialogs.ts';

/** The main navigation on narrow screens. */
export function BottomBar({ onMore }: { onMore: () => void }) {
  const { show } = useDialogs();
  const invitations = useQuery(invitationsQuery);
  return (
    <nav className="bottombar" aria-label="Main (short)">
      <Link to="/" className="bottombar-item" activeOptions={{ exact: true, includeSearch: false }}>
        <LibraryBig size={20} aria-hidden />
        Library
      </Link>
      <Link to="/search" className="bottombar-item" activeOptions={{ includeSearch: false }}>
        <Search size={20} aria-hidden />
        Search
      </Link>
      <button
        type="button"
        className="bottombar-item bottombar-save"
        aria-label="Save"
        onClick={() => show('save')}
      >
        <span>
          <Plus size={22} aria-hidden />
        </span>
      </button>
      <Link to="/invitations" className="bottombar-item">
        <Inbox size={20} aria-hidden />
        Invitations
        {(invitations.data?.length ?? 0) > 0 && (
          <span className="bottombar-dot">
            <span className="visually-hidden">{invitations.data?.length} pending</span>
          </span>
        )}
      </Link>
      <button type="button" className="bottombar-item" onClick={onMore}>
        <MenuIcon size={20} aria-hidden />
        More
      </button>
    </nav>
  );
}
