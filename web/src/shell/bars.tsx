import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { CloudOff, Command, Inbox, LibraryBig, Menu as MenuIcon, Plus, Search } from 'lucide-react';
import { useEffect, useState } from 'react';
import { streamState } from '../api/events.ts';
import { useStore } from '../api/store.ts';
import { invitationsQuery } from '../library/queries.ts';
import { useUnseenNotifications } from '../rules/use-notification-toasts.ts';
import { Button, IconButton } from '../ui/button.tsx';
import { Kbd } from '../ui/kbd.tsx';
import { showDialog } from './dialogs.ts';
import { Logo } from './logo.tsx';

const PATIENCE_MS = 4000;

export function TopBar({ onSearch }: { onSearch: () => void }) {
  return (
    <header className="topbar">
      <Link to="/" className="wordmark only-narrow">
        <Logo size={26} />
        Nexus
      </Link>
      <button type="button" className="topbar-search only-wide" onClick={onSearch}>
        <Search size={16} aria-hidden />
        Search
        <Kbd>/</Kbd>
      </button>
      <span className="grow" />
      <ConnectionState />
      <IconButton
        label="Command palette"
        shortcut="Ctrl K"
        icon={Command}
        onClick={() => showDialog('palette')}
      />
      <Button look="primary" icon={Plus} className="only-wide" onClick={() => showDialog('save')}>
        Save
      </Button>
    </header>
  );
}

/** Shows that live updates have been interrupted for some seconds. */
function ConnectionState() {
  const state = useStore(streamState);
  const [isLost, setLost] = useState(false);
  useEffect(() => {
    if (state === 'open') return setLost(false);
    const timer = setTimeout(() => setLost(true), PATIENCE_MS);
    return () => clearTimeout(timer);
  }, [state]);
  if (!isLost) return null;
  return (
    <span className="stream-state" role="status">
      <CloudOff size={16} aria-hidden />
      <span>Reconnecting…</span>
    </span>
  );
}

/** The main navigation on narrow screens. */
export function BottomBar({ onMore }: { onMore: () => void }) {
  const invitations = useQuery(invitationsQuery);
  const unseen = useUnseenNotifications();
  return (
    <nav className="bottombar" aria-label="Main pages">
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
        onClick={() => showDialog('save')}
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
        {unseen > 0 && (
          <span className="bottombar-dot">
            <span className="visually-hidden">{unseen} new notifications from rules</span>
          </span>
        )}
      </button>
    </nav>
  );
}
