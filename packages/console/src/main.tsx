import { CSPProvider } from '@base-ui/react/csp-provider';
import { QueryClientProvider } from '@tanstack/react-query';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { RouterProvider } from 'react-router';
import { isNotFound } from './api/errors';
import { createQueryClient } from './api/query-client';
import { Toasts } from './components/ui/toast';
import { getLocale } from './paraglide/runtime';
import { router } from './router';
import './styles/app.css';
import { followSystemTheme } from './theme/theme';

followSystemTheme();
document.documentElement.lang = getLocale();

/** A page about something that does not exist shows the not-found page: that is an answer, not a fault of the console. */
function report(error: unknown): void {
  if (!isNotFound(error)) reportError(error);
}

createRoot(document.getElementById('root')!, { onCaughtError: report }).render(
  <StrictMode>
    <CSPProvider disableStyleElements>
      <QueryClientProvider client={createQueryClient()}>
        <RouterProvider router={router} onError={report} />
        <Toasts />
      </QueryClientProvider>
    </CSPProvider>
  </StrictMode>,
);
