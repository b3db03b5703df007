import './shell.css';
import { useQueryClient } from '@tanstack/react-query';
import { Outlet, useNavigate, useRouterState } from '@tanstack/react-router';
import { lazy, Suspense, useEffect, useLayoutEffect, useRef, useState } from 'react';
import { streamState } from '../api/events.ts';
import { useStore } from '../api/store.ts';
import { hasConsole } from '../console/sections.ts';
import { ShortcutHelp } from '../keyboard/shortcut-help.tsx';
import { handleKey, useShortcuts } from '../keyboard/shortcuts.ts';
import { ItemDialogs } from '../library/item-dialogs.tsx';
import { MineDialogs } from '../mine/mine-dialogs.tsx';
import { useNotificationToasts } from '../rules/use-notification-toasts.ts';
import { SaveAnywhere } from '../saving/save-anywhere.tsx';
import { useSession } from '../session/session.ts';
import { takeNewestAction } from '../ui/toasts.tsx';
import { useWindowEvent } from '../ui/use-window-event.ts';
import { BottomBar, TopBar } from './bars.tsx';
import { hideDialog, showDialog, shownDialog } from './dialogs.ts';
import { followEvents } from './live-updates.ts';
import { PagePending } from './page-states.tsx';
import { Drawer, Sidebar } from './sidebar.tsx';

const SaveDialog = lazy(() => import('../saving/save-dialog.tsx'));
const NewLibraryDialog = lazy(() => import('../library/name-dialogs.tsx'));
const CommandPalette = lazy(() => import('./command-palette.tsx'));

/** Everything around the pages: navigation, the save dialog, keyboard shortcuts, live updates. */
export function Shell() {
  const queryClient = useQueryClient();
  const navigate = useNavigate();
  const { user } = useSession();
  const shown = useStore(shownDialog);
  const [isDrawerOpen, setDrawerOpen] = useState(false);
  const pathname = useRouterState({ select: ({ location }) => location.pathname });
  const search = () => void navigate({ to: '/search', search: {} });
  const stream = useStore(streamState);

  useScrollMemory();
  useEffect(() => followEvents(queryClient), [queryClient]);
  useEffect(() => hideDialog, []);
  useWindowEvent('keydown', (event) => {
    if ((event.metaKey || event.ctrlKey) && event.key.toLowerCase() === 'k') {
      event.preventDefault();
      shownDialog.set((current) => (current === 'palette' ? undefined : 'palette'));
    } else handleKey(event);
  });
  // biome-ignore lint/correctness/useExhaustiveDependencies: navigation closes the drawer
  useEffect(() => {
    setDrawerOpen(false);
    // When the link that was followed is gone, the focus moves to the new page instead of the top of the document.
    if (document.activeElement === document.body)
      document.getElementById('main')?.focus({ preventScroll: true });
  }, [pathname]);

  useShortcuts([
    { keys: 'n', label: 'Save a link or a file', group: 'Everywhere', run: () => showDialog('save') },
    { keys: '/', label: 'Search', group: 'Everywhere', run: search },
    { keys: '?', label: 'Keyboard shortcuts', group: 'Everywhere', run: () => showDialog('shortcuts') },
    { keys: 'z', label: 'Undo', group: 'Everywhere', run: () => void takeNewestAction() },
    { keys: 'g h', label: 'My library', group: 'Go to', run: () => void navigate({ to: '/' }) },
    { keys: 'g f', label: 'Favourites', group: 'Go to', run: () => void navigate({ to: '/favourites' }) },
    { keys: 'g r', label: 'Archive', group: 'Go to', run: () => void navigate({ to: '/archive' }) },
    { keys: 'g s', label: 'Search', group: 'Go to', run: search },
    { keys: 'g u', label: 'Rules', group: 'Go to', run: () => void navigate({ to: '/rules' }) },
    { keys: 'g i', label: 'Invitations', group: 'Go to', run: () => void navigate({ to: '/invitations' }) },
    { keys: 'g t', label: 'Trash', group: 'Go to', run: () => void navigate({ to: '/trash' }) },
    { keys: 'g p', label: 'Settings', group: 'Go to', run: () => void navigate({ to: '/settings' }) },
    ...(hasConsole(user.role)
      ? [
          {
            keys: 'g c',
            label: 'Console',
            group: 'Go to',
            run: () => void navigate({ to: '/console' }),
          } as const,
        ]
      : []),
    { keys: 'g l', label: 'New library', group: 'Go to', run: () => showDialog('new-library') },
  ]);

  // Queries start when the stream is open: an event between the two would be missed.
  if (stream === 'closed' || stream === 'connecting') return <PagePending />;
  return (
    <>
      <a href="#main" className="skip-link">
        Skip to content
      </a>
      <div className={pathname.startsWith('/read/') ? 'shell shell-reading' : 'shell'}>
        <Sidebar />
        <div className="main-column">
          <TopBar onSearch={search} />
          <main id="main" className="main" tabIndex={-1}>
            <Outlet />
            <ItemDialogs />
            <MineDialogs />
          </main>
        </div>
        <BottomBar onMore={() => setDrawerOpen(true)} />
      </div>
      <Drawer open={isDrawerOpen} onClose={() => setDrawerOpen(false)} />
      <Suspense>
        {shown === 'save' && <SaveDialog onClose={hideDialog} />}
        {shown === 'new-library' && <NewLibraryDialog onClose={hideDialog} />}
        {shown === 'palette' && <CommandPalette onClose={hideDialog} />}
      </Suspense>
      <SaveAnywhere />
      <NotificationToasts />
      {shown === 'shortcuts' && <ShortcutHelp onClose={hideDialog} />}
    </>
  );
}

/** A component of its own, because queries start when the stream is open. */
function NotificationToasts() {
  useNotificationToasts();
  return null;
}

/** The scroll offset of each history entry, until the page is reloaded. */
const offsets = new Map<string, number>();

/** Restores the scroll offset after going back. The reader restores its own position, by paragraph. */
function useScrollMemory(): void {
  const { key, isReader } = useRouterState({
    select: ({ resolvedLocation, location }) => {
      const { state, pathname } = resolvedLocation ?? location;
      return { key: state.__TSR_key ?? '', isReader: pathname.startsWith('/read/') };
    },
    structuralSharing: true,
  });
  const current = useRef(key);

  useLayoutEffect(() => {
    current.current = key;
    if (!isReader) window.scrollTo(0, offsets.get(key) ?? 0);
  }, [key, isReader]);

  useWindowEvent('scroll', () => offsets.set(current.current, window.scrollY));
}
