import type { RouteObject } from 'react-router';

export const creditRoutes: RouteObject[] = [
  { path: '/credit', lazy: () => import('./credit-page') },
  { path: '/credit/charges/:id', lazy: () => import('./charge-page') },
];
