import './styles/tokens.css';
import './styles/base.css';
import { QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { queryKeys } from './api/queries.ts';
import { createQueryClient } from './api/query-client.ts';
import { leaveKeysToInputMethods } from './keyboard/composition.ts';
import { createAppRouter } from './router.tsx';
import { Toaster } from './ui/toasts.tsx';
import { TooltipProvider } from './ui/tooltip.tsx';

const queryClient = createQueryClient({
  // The session has ended elsewhere: reloading the routes redirects to the sign-in page.
  onSignedOut: () => {
    queryClient.removeQueries({ queryKey: queryKeys.session() });
    void router.invalidate();
  },
});
const router = createAppRouter(queryClient);

// Pages scroll by themselves. The router turns this off when the page is left.
const scrollManually = () => {
  window.history.scrollRestoration = 'manual';
};
scrollManually();
window.addEventListener('pagehide', scrollManually);

leaveKeysToInputMethods();

const container = document.getElementById('root');
if (!container) throw new Error('The page has no #root.');
createRoot(container).render(
  <StrictMode>
    <QueryClientProvider client={queryClient}>
      <TooltipProvider delayDuration={400}>
        <RouterProvider router={router} />
        <Toaster />
      </TooltipProvider>
    </QueryClientProvider>
  </StrictMode>,
);
