import type { RouteObject } from 'react-router';

export const extensionsRoutes: RouteObject[] = [
  { path: '/extensions', lazy: () => import('./extensions-page') },
  { path: '/extensions/:id', lazy: () => import('./extension-page') },
];
