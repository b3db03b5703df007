import type { QueryClient } from '@tanstack/react-query';
import {
  createRootRouteWithContext,
  createRoute,
  createRouter,
  lazyRouteComponent,
  Outlet,
  redirect,
} from '@tanstack/react-router';
import { ApiError } from './api/client.ts';
import { openStream } from './api/events.ts';
import { CONSOLE_PAGES } from './console/routes.tsx';
import { readHighlightParams } from './highlights/highlight-params.ts';
import { readListParams } from './library/list-params.ts';
import { readVisited } from './reader/visited.ts';
import { readRunParams } from './rules/run-params.ts';
import { readSearchParams } from './search/search-params.ts';
import { showPagesOf } from './session/person.ts';
import { roleAllows, sessionQuery } from './session/session.ts';
import { NotFound, PageError, PagePending } from './shell/page-states.tsx';
import { Shell } from './shell/shell.tsx';
import { readImportParams } from './transfer/import-params.ts';
import { readSaveParams } from './transfer/save-params.ts';

const root = createRootRouteWithContext<{ queryClient: QueryClient }>()({
  component: Outlet,
  notFoundComponent: NotFound,
});

const signIn = createRoute({
  getParentRoute: () => root,
  path: 'sign-in',
  validateSearch: (search): { next?: string } =>
    typeof search.next === 'string' && /^\/(?![/\\])/.test(search.next) ? { next: search.next } : {},
  component: lazyRouteComponent(() => import('./session/sign-in-page.tsx')),
});

const welcome = createRoute({
  getParentRoute: () => root,
  path: 'welcome',
  component: lazyRouteComponent(() => import('./session/welcome-page.tsx')),
});

/** Returns the session. Redirects to the sign-in page, and back after signing in, when there is none. */
async function requireSession(queryClient: QueryClient, href: string) {
  try {
    const session = await queryClient.ensureQueryData(sessionQuery);
    showPagesOf(session.user.id);
    if (session.needs_onboarding) throw redirect({ to: '/welcome' });
    return { session };
  } catch (error) {
    if (error instanceof ApiError && error.isSignedOut) {
      throw redirect({ to: '/sign-in', search: href === '/' ? {} : { next: href } });
    }
    throw error;
  }
}

/** All pages that need a session. Their data is kept current by the event stream. */
const signedIn = createRoute({
  getParentRoute: () => root,
  id: 'signed-in',
  component: Shell,
  beforeLoad: async ({ context, location }) => {
    const loaded = await requireSession(context.queryClient, location.href);
    openStream();
    return loaded;
  },
});

/** A page for a small window, without the shell. */
const save = createRoute({
  getParentRoute: () => root,
  path: 'save',
  validateSearch: readSaveParams,
  beforeLoad: ({ context, location }) => requireSession(context.queryClient, location.href),
  component: lazyRouteComponent(() => import('./transfer/save-page.tsx')),
});

const home = createRoute({
  getParentRoute: () => signedIn,
  path: '/',
  validateSearch: readListParams,
  component: lazyRouteComponent(() => import('./library/home-page.tsx')),
});

const library = createRoute({
  getParentRoute: () => signedIn,
  path: 'library/$libraryId',
  validateSearch: readListParams,
  component: lazyRouteComponent(() => import('./library/library-page.tsx')),
});

const libraryTags = createRoute({
  getParentRoute: () => signedIn,
  path: 'library/$libraryId/tags',
  component: lazyRouteComponent(() => import('./library/library-tags-page.tsx')),
});

const favourites = createRoute({
  getParentRoute: () => signedIn,
  path: 'favourites',
  validateSearch: readListParams,
  component: lazyRouteComponent(() => import('./mine/list-pages.tsx'), 'FavouritesPage'),
});

const archive = createRoute({
  getParentRoute: () => signedIn,
  path: 'archive',
  validateSearch: readListParams,
  component: lazyRouteComponent(() => import('./mine/list-pages.tsx'), 'ArchivePage'),
});

/** The items with a tag. The name may have slashes and dots, so it is not a part of the path. */
const tagged = createRoute({
  getParentRoute: () => signedIn,
  path: 'tagged',
  validateSearch: readListParams,
  component: lazyRouteComponent(() => import('./mine/list-pages.tsx'), 'TaggedPage'),
});

const tags = createRoute({
  getParentRoute: () => signedIn,
  path: 'tags',
  component: lazyRouteComponent(() => import('./mine/tags-page.tsx')),
});

const reader = createRoute({
  getParentRoute: () => signedIn,
  path: 'read/$mediaId',
  validateSearch: readVisited,
  component: lazyRouteComponent(() => import('./reader/reader-page.tsx')),
});

const search = createRoute({
  getParentRoute: () => signedIn,
  path: 'search',
  validateSearch: readSearchParams,
  component: lazyRouteComponent(() => import('./search/search-page.tsx')),
});

/** The items of a saved search. */
const savedSearch = createRoute({
  getParentRoute: () => signedIn,
  path: 'searches/$searchId',
  validateSearch: readListParams,
  component: lazyRouteComponent(() => import('./search/saved-search-page.tsx')),
});

const highlights = createRoute({
  getParentRoute: () => signedIn,
  path: 'highlights',
  validateSearch: readHighlightParams,
  component: lazyRouteComponent(() => import('./highlights/highlights-page.tsx')),
});

const rules = createRoute({
  getParentRoute: () => signedIn,
  path: 'rules',
  component: lazyRouteComponent(() => import('./rules/rules-page.tsx')),
});

const ruleRuns = createRoute({
  getParentRoute: () => signedIn,
  path: 'rules/runs',
  validateSearch: readRunParams,
  component: lazyRouteComponent(() => import('./rules/runs-page.tsx')),
});

const ruleRun = createRoute({
  getParentRoute: () => signedIn,
  path: 'rules/runs/$runId',
  component: lazyRouteComponent(() => import('./rules/run-page.tsx')),
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
  validateSearch: readImportParams,
  component: lazyRouteComponent(() => import('./transfer/import-page.tsx')),
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
    libraryTags,
    favourites,
    archive,
    tagged,
    tags,
    reader,
    search,
    savedSearch,
    highlights,
    rules,
    ruleRuns,
    ruleRun,
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
    // Pages scroll by themselves: the reader to the place, others to where they were left. False would scroll to the top.
    scrollRestoration: () => false,
  });
}

declare module '@tanstack/react-router' {
  interface Register {
    router: ReturnType<typeof createAppRouter>;
  }
}
