import type { RouteObject } from 'react-router';

/** The pages before a session: each stands alone, without the shell. */
export const entryRoutes: RouteObject[] = [{ path: '/login', lazy: () => import('./login-page') }];
