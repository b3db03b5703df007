import type { QueryClient } from '@tanstack/react-query';
import {
  createRootRouteWithContext,
  createRoute,
  createRouter,
  lazyRouteComponent,
  Outlet,
  redirect,
} from '@tanstack/react-router';
import { ApiError } from './api/error.ts';
import { CONSOLE_PAGES } from './console/routes.tsx';
import { readListSearch } from './library/list-search.ts';
import { readImportSearch } from './moving/import-search.ts';
import { readSaveSearch } from './moving/save-search.ts';
import { readSearchSearch } from './search/search-search.ts';
import { roleAllows, sessionQuery } from './session/session.ts';
import { NotFound, PageError, PagePending } from './shell/page-states.tsx';
import { Shell } from './shell/shell.tsx';

const root = createRootRouteWithContext<{ queryClient: QueryClient }>()({
  component: Outlet,
  notFoundComponent: NotFound,
});

const signIn = createRoute({
  getParentRoute: () => root,
  path: 'sign-in',
  validateSearch: (search): { next?: string } =>
    typeof search.next === 'string' && /^\/(?!\/)/.test(search.next) ? { next: search.next } : {},
  component: lazyRouteComponent(() => import('./session/sign-in-page.tsx')),
});

const welcome = createRoute({
  getParentRoute: () => root,
  path: 'welcome',
  component: lazyRouteComponent(() => import('./session/welcome-page.tsx')),
});

/** Who is signed in; whoever is not comes back after signing in. */
async function requireSession(queryClient: QueryClient, href: string) {
  try {
    const session = await queryClient.ensureQueryData(sessionQuery);
    if (session.needs_onboarding) throw redirect({ to: '/welcome' });
    return { session };
  } catch (error) {
    if (error instanceof ApiError && error.isSignedOut) {
      throw redirect({ to: '/sign-in', search: href === '/' ? {} : { next: href } });
    }
    throw error;
  }
}

/** Everything behind the sign-in. */
const signedIn = createRoute({
  getParentRoute: () => root,
  id: 'signed-in',
  component: Shell,
  beforeLoad: ({ context, location }) => requireSession(context.queryClient, location.href),
});

/** A small window beside another page: without the shell. */
const save = createRoute({
  getParentRoute: () => root,
  path: 'save',
  validateSearch: readSaveSearch,
  beforeLoad: ({ context, location }) => requireSession(context.queryClient, location.href),
  component: lazyRouteComponent(() => import('./moving/save-page.tsx')),
});

const home = createRoute({
  getParentRoute: () => signedIn,
  path: '/',
  validateSearch: readListSearch,
  component: lazyRouteComponent(() => import('./library/home-page.tsx')),
});

const library = createRoute({
  getParentRoute: () => signedIn,
  path: 'library/$libraryId',
  validateSearch: readListSearch,
  component: lazyRouteComponent(() => import('./library/library-page.tsx')),
});

const reader = createRoute({
  getParentRoute: () => signedIn,
  path: 'read/$mediaId',
  // `at`: the part where a search has found something.
  validateSearch: (search): { at?: number } =>
    typeof search.at === 'number' && Number.isInteger(search.at) ? { at: search.at } : {},
  component: lazyRouteComponent(() => import('./reader/reader-page.tsx')),
});

const search = createRoute({
  getParentRoute: () => signedIn,
  path: 'search',
  validateSearch: readSearchSearch,
  component: lazyRouteComponent(() => import('./search/search-page.tsx')),
});

const invitations = createRoute({
  getParentRoute: () => signedIn,
  path: 'invitations',
  component: lazyRouteComponent(() => import('./sharing/invitations-page.tsx')),
});

const trash = createRoute({
  getParentRoute: () => signedIn,
  path: 'trash',
  component: lazyRouteComponent(() => import('./trash/trash-page.tsx')),
});

const settings = createRoute({
  getParentRoute: () => signedIn,
  path: 'settings',
  component: lazyRouteComponent(() => import('./session/settings-page.tsx')),
});

const importRoute = createRoute({
  getParentRoute: () => signedIn,
  path: 'import',
  validateSearch: readImportSearch,
  component: lazyRouteComponent(() => import('./moving/import-page.tsx')),
});

const consoleRoute = createRoute({ getParentRoute: () => signedIn, path: 'console', component: Outlet });

const consoleHome = createRoute({
  getParentRoute: () => consoleRoute,
  path: '/',
  beforeLoad: () => {
    throw redirect({ to: `/console/${CONSOLE_PAGES[0]?.path}` as string });
  },
});

const consolePages = CONSOLE_PAGES.map(({ path, load, minimumRole, validateSearch }) =>
  createRoute({
    getParentRoute: () => consoleRoute,
    path: path as string,
    ...(validateSearch && { validateSearch }),
    beforeLoad: ({ context }) => {
      if (!roleAllows(context.session.user.role, minimumRole)) throw redirect({ to: '/' });
    },
    component: lazyRouteComponent(load),
  }),
);

const routeTree = root.addChildren([
  signIn,
  welcome,
  save,
  signedIn.addChildren([
    home,
    library,
    reader,
    search,
    invitations,
    trash,
    settings,
    importRoute,
    consoleRoute.addChildren([consoleHome, ...consolePages]),
  ]),
]);

export function createAppRouter(queryClient: QueryClient) {
  return createRouter({
    routeTree,
    basepath: '/app',
    context: { queryClient },
    defaultPreload: 'intent',
    defaultPreloadStaleTime: 0,
    defaultErrorComponent: PageError,
    defaultPendingComponent: PagePending,
    defaultNotFoundComponent: NotFound,
    scrollRestoration: false,
  });
}

declare module '@tanstack/react-router' {
  interface Register {
    router: ReturnType<typeof createAppRouter>;
  }
}
