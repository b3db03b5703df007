import './shell.css';
import { useQueryClient } from '@tanstack/react-query';
import { Outlet, useNavigate, useRouterState } from '@tanstack/react-router';
import { lazy, Suspense, useEffect, useMemo, useState } from 'react';
import { streamState } from '../api/events.ts';
import { useStore } from '../api/store.ts';
import { ShortcutHelp } from '../keyboard/shortcut-help.tsx';
import { handleKey, useShortcuts } from '../keyboard/shortcuts.ts';
import { ItemDialogsProvider } from '../library/item-dialogs.tsx';
import { SaveAnywhere } from '../saving/save-anywhere.tsx';
import { takeNewestAction } from '../ui/toasts.ts';
import { BottomBar } from './bottom-bar.tsx';
import { type DialogName, DialogsContext } from './dialogs.ts';
import { Drawer } from './drawer.tsx';
import { followEvents } from './live-updates.ts';
import { PagePending } from './page-states.tsx';
import { useScrollMemory } from './scroll-memory.ts';
import { Sidebar } from './sidebar.tsx';
import { TopBar } from './top-bar.tsx';

const SaveDialog = lazy(() => import('../saving/save-dialog.tsx'));
const NewLibraryDialog = lazy(() => import('../library/new-library-dialog.tsx'));
const CommandPalette = lazy(() => import('./command-palette.tsx'));

/** Everything around the pages: navigation, the save dialog, keyboard shortcuts, live updates. */
export function Shell() {
  const queryClient = useQueryClient();
  const navigate = useNavigate();
  const [shown, setShown] = useState<DialogName>();
  const [isDrawerOpen, setDrawerOpen] = useState(false);
  const pathname = useRouterState({ select: ({ location }) => location.pathname });
  const dialogs = useMemo(() => ({ shown, show: setShown, hide: () => setShown(undefined) }), [shown]);
  const search = () => void navigate({ to: '/search', search: {} });
  const stream = useStore(streamState);

  useScrollMemory();
  useEffect(() => followEvents(queryClient), [queryClient]);
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if ((event.metaKey || event.ctrlKey) && event.key.toLowerCase() === 'k') {
        event.preventDefault();
        setShown((current) => (current === 'palette' ? undefined : 'palette'));
      } else handleKey(event);
    };
    window.addEventListener('keydown', onKey);
    return () => window.removeEventListener('keydown', onKey);
  }, []);
  // biome-ignore lint/correctness/useExhaustiveDependencies: navigation closes the drawer
  useEffect(() => {
    setDrawerOpen(false);
    // When the link that was followed is gone, the focus moves to the new page instead of the top of the document.
    if (document.activeElement === document.body)
      document.getElementById('main')?.focus({ preventScroll: true });
  }, [pathname]);

  useShortcuts([
    { keys: 'n', label: 'Save a link or a file', group: 'Everywhere', run: () => setShown('save') },
    { keys: '/', label: 'Search', group: 'Everywhere', run: search },
    { keys: '?', label: 'Keyboard shortcuts', group: 'Everywhere', run: () => setShown('shortcuts') },
    { keys: 'z', label: 'Undo', group: 'Everywhere', run: () => void takeNewestAction() },
    { keys: 'g h', label: 'My library', group: 'Go to', run: () => void navigate({ to: '/' }) },
    { keys: 'g s', label: 'Search', group: 'Go to', run: search },
    { keys: 'g i', label: 'Invitations', group: 'Go to', run: () => void navigate({ to: '/invitations' }) },
    { keys: 'g t', label: 'Trash', group: 'Go to', run: () => void navigate({ to: '/trash' }) },
    { keys: 'g p', label: 'Settings', group: 'Go to', run: () => void navigate({ to: '/settings' }) },
    { keys: 'g l', label: 'New library', group: 'Go to', run: () => setShown('new-library') },
  ]);

  // Queries start when the stream is open: an event between the two would be missed.
  if (stream === 'closed' || stream === 'connecting') return <PagePending />;
  return (
    <DialogsContext value={dialogs}>
      <a href="#main" className="skip-link">
        Skip to content
      </a>
      <div className={pathname.startsWith('/read/') ? 'shell shell-reading' : 'shell'}>
        <Sidebar />
        <div className="main-column">
          <TopBar onSearch={search} />
          <main id="main" className="main" tabIndex={-1}>
            <ItemDialogsProvider>
              <Outlet />
            </ItemDialogsProvider>
          </main>
        </div>
        <BottomBar onMore={() => setDrawerOpen(true)} />
      </div>
      <Drawer open={isDrawerOpen} onClose={() => setDrawerOpen(false)}>
        <Sidebar />
      </Drawer>
      <Suspense>
        {shown === 'save' && <SaveDialog onClose={dialogs.hide} />}
        {shown === 'new-library' && <NewLibraryDialog onClose={dialogs.hide} />}
        {shown === 'palette' && <CommandPalette onClose={dialogs.hide} />}
      </Suspense>
      <SaveAnywhere />
      <ShortcutHelp open={shown === 'shortcuts'} onClose={dialogs.hide} />
    </DialogsContext>
  );
}
