import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import {
  Archive,
  CircleUserRound,
  Gauge,
  Highlighter,
  Inbox,
  Keyboard,
  LibraryBig,
  LogOut,
  type LucideIcon,
  Plus,
  Rows3,
  Search,
  Settings,
  Star,
  Trash2,
  Workflow,
} from 'lucide-react';
import { type ReactNode, useEffect, useRef, useState } from 'react';
import { errorMessage } from '../api/client.ts';
import { hasConsole } from '../console/sections.ts';
import { forgetAllDrafts } from '../drafts/drafts.ts';
import { invitationsQuery, librariesQuery } from '../library/queries.ts';
import { sendRemovals } from '../library/removals.ts';
import { SidebarTags } from '../mine/sidebar-tags.tsx';
import { useUnseenNotifications } from '../rules/use-notification-toasts.ts';
import { SidebarSearches } from '../search/saved-searches.tsx';
import { forgetPerson } from '../session/person.ts';
import { signOut, useSession } from '../session/session.ts';
import { setTheme, THEMES, useTheme } from '../session/theme.ts';
import { IconButton } from '../ui/button.tsx';
import { Menu, MenuChoice, MenuItem, MenuSeparator } from '../ui/menu.tsx';
import { PortalContainer } from '../ui/portal.ts';
import { Badge, Skeleton } from '../ui/states.tsx';
import { showToast } from '../ui/toasts.tsx';
import { useBackdrop } from '../ui/use-backdrop.ts';
import { showDialog } from './dialogs.ts';
import { Logo } from './logo.tsx';

/** The main navigation: the person's library, shared libraries, and one entry for the operators' console. */
export function Sidebar() {
  const { user, default_library_id } = useSession();
  const libraries = useQuery(librariesQuery);
  const invitations = useQuery(invitationsQuery);
  const unseen = useUnseenNotifications();
  const own = libraries.data?.find(({ id }) => id === default_library_id);
  const others = libraries.data?.filter(({ id }) => id !== default_library_id);
  return (
    <aside className="sidebar" aria-label="Navigation">
      <div className="sidebar-head">
        <Link to="/" className="wordmark">
          <Logo />
          Nexus
        </Link>
      </div>
      <nav className="sidebar-scroll" aria-label="Main">
        <NavLink to="/" icon={LibraryBig} exact>
          My library
          <Count value={own?.unread_count} />
        </NavLink>
        <NavLink to="/favourites" icon={Star}>
          Favourites
        </NavLink>
        <NavLink to="/archive" icon={Archive}>
          Archive
        </NavLink>
        <NavLink to="/search" icon={Search}>
          Search
        </NavLink>
        <NavLink to="/highlights" icon={Highlighter}>
          Highlights
        </NavLink>
        <NavLink to="/rules" icon={Workflow}>
          Rules
          {unseen > 0 && (
            <span className="nav-count">
              <Badge tone="solid">
                {unseen}
                <span className="visually-hidden"> new</span>
              </Badge>
            </span>
          )}
        </NavLink>
        <NavLink to="/invitations" icon={Inbox}>
          Invitations
          {(invitations.data?.length ?? 0) > 0 && (
            <span className="nav-count">
              <Badge tone="solid">{invitations.data?.length}</Badge>
            </span>
          )}
        </NavLink>
        <NavLink to="/trash" icon={Trash2}>
          Trash
        </NavLink>

        <div className="nav-section">
          Libraries
          <IconButton
            label="New library"
            icon={Plus}
            size="small"
            onClick={() => showDialog('new-library')}
          />
        </div>
        {others?.map(({ id, name, unread_count }) => (
          <NavLink key={id} to={`/library/${id}`} icon={Rows3}>
            <span className="truncate">{name}</span>
            <Count value={unread_count} />
          </NavLink>
        ))}
        {others === undefined && <Skeleton height="2.25rem" />}
        {others?.length === 0 && (
          <button type="button" className="nav-link" onClick={() => showDialog('new-library')}>
            <Plus size={18} aria-hidden />
            New library
          </button>
        )}
        <SidebarSearches />
        <SidebarTags />
      </nav>
      <div className="sidebar-foot">
        {hasConsole(user.role) && (
          <NavLink to="/console" icon={Gauge}>
            Console
          </NavLink>
        )}
        <PersonMenu />
      </div>
    </aside>
  );
}

interface NavLinkProps {
  to: string;
  icon: LucideIcon;
  exact?: boolean;
  children: ReactNode;
}

function NavLink({ to, icon: Icon, exact = false, children }: NavLinkProps) {
  return (
    <Link to={to} className="nav-link" activeOptions={{ exact, includeSearch: false }}>
      <Icon size={18} aria-hidden />
      {children}
    </Link>
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

/** The sidebar on narrow screens. */
export function Drawer({ open, onClose }: { open: boolean; onClose: () => void }) {
  const dialog = useRef<HTMLDialogElement>(null);
  const backdrop = useBackdrop(onClose);
  const [container, setContainer] = useState<HTMLElement | null>(null);
  useEffect(() => {
    setContainer(dialog.current);
    if (open) dialog.current?.showModal();
    else dialog.current?.close();
  }, [open]);
  return (
    <dialog ref={dialog} className="drawer" aria-label="Navigation" onClose={onClose} {...backdrop}>
      {open && (
        <PortalContainer value={container}>
          <Sidebar />
        </PortalContainer>
      )}
    </dialog>
  );
}

function PersonMenu() {
  const { user } = useSession();
  const theme = useTheme();
  const navigate = useNavigate();
  const queryClient = useQueryClient();

  async function endSession() {
    // A request that arrives after the session has ended fails.
    await queryClient.cancelQueries();
    try {
      await sendRemovals();
      await signOut();
    } catch (error) {
      showToast(errorMessage(error));
      void queryClient.invalidateQueries();
      return;
    }
    forgetAllDrafts();
    await navigate({ to: '/sign-in', search: {} });
    // The reader has stored its place while it was closed.
    forgetPerson();
    queryClient.clear();
  }

  return (
    <Menu
      align="start"
      trigger={
        <button type="button" className="nav-link">
          <CircleUserRound size={18} aria-hidden />
          <span className="truncate">{user.display_name}</span>
        </button>
      }
    >
      <MenuItem label="Settings" icon={Settings} onSelect={() => void navigate({ to: '/settings' })} />
      <MenuItem
        label="Keyboard shortcuts"
        icon={Keyboard}
        shortcut="?"
        onSelect={() => showDialog('shortcuts')}
      />
      <MenuSeparator />
      <MenuChoice label="Theme" value={theme} options={THEMES} onChange={setTheme} />
      <MenuSeparator />
      <MenuItem label="Sign out" icon={LogOut} onSelect={() => void endSession()} />
    </Menu>
  );
}
