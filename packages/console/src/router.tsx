import { createBrowserRouter } from 'react-router';
import { Loading } from './components/ui/state-views';
import { AppShell } from './layout/app-shell';
import { Crash } from './layout/crash';
import { NotFound } from './layout/not-found';
import { SessionGate } from './layout/session-gate';
import { accountRoutes } from './rooms/account/routes';
import { callsRoutes } from './rooms/calls/routes';
import { creditRoutes } from './rooms/credit/routes';
import { entryRoutes } from './rooms/entry/routes';
import { extensionsRoutes } from './rooms/extensions/routes';
import { overviewRoutes } from './rooms/overview/routes';
import { peopleRoutes } from './rooms/people/routes';
import { tokensRoutes } from './rooms/tokens/routes';
import { webhooksRoutes } from './rooms/webhooks/routes';

/** Each room names its own pages, loaded when they are first opened. */
export const router = createBrowserRouter(
  [
    { ErrorBoundary: Crash, HydrateFallback: Loading, children: entryRoutes },
    {
      Component: SessionGate,
      HydrateFallback: Loading,
      children: [
        {
          Component: AppShell,
          children: [
            {
              ErrorBoundary: Crash,
              children: [
                ...overviewRoutes,
                ...callsRoutes,
                ...webhooksRoutes,
                ...extensionsRoutes,
                ...creditRoutes,
                ...peopleRoutes,
                ...tokensRoutes,
                ...accountRoutes,
                { path: '*', Component: NotFound },
              ],
            },
          ],
        },
      ],
    },
  ],
  { basename: '/console' },
);
