import type { RouteObject } from 'react-router';

/** The pages before a session: each stands alone, without the shell. */
export const entryRoutes: RouteObject[] = [
  { path: '/login', lazy: () => import('./login-page') },
  { path: '/signup', lazy: () => import('./sign-up-page') },
  { path: '/forgot', lazy: () => import('./forgot-page') },
  { path: '/resend', lazy: () => import('./resend-page') },
];
