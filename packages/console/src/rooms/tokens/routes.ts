import type { RouteObject } from 'react-router';

export const tokensRoutes: RouteObject[] = [{ path: '/tokens', lazy: () => import('./tokens-page') }];
