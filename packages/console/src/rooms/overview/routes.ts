import type { RouteObject } from 'react-router';

export const overviewRoutes: RouteObject[] = [{ path: '/', lazy: () => import('./overview-page') }];
