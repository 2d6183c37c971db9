import type { RouteObject } from 'react-router';

export const webhooksRoutes: RouteObject[] = [
  { path: '/webhooks', lazy: () => import('./webhooks-page') },
  { path: '/webhooks/:id', lazy: () => import('./integration-page') },
];
