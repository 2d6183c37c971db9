import type { RouteObject } from 'react-router';

export const callsRoutes: RouteObject[] = [
  { path: '/calls', lazy: () => import('./calls-page') },
  { path: '/calls/:id', lazy: () => import('./one/call-page') },
];
