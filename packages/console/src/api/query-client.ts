import { SabiaError } from '@sabia/client';
import { QueryClient } from '@tanstack/react-query';

/** A refusal stays a refusal; only what may pass by itself is asked again. */
function mayPass(error: unknown): boolean {
  return error instanceof SabiaError && (error.status === 0 || error.status === 429 || error.status >= 500);
}

export function createQueryClient(): QueryClient {
  return new QueryClient({
    defaultOptions: {
      queries: {
        staleTime: 5_000,
        retry: (failures, error) => failures < 3 && mayPass(error),
        retryDelay: (failures) => Math.min(1_000 * 2 ** failures, 8_000),
      },
      mutations: { retry: false },
    },
  });
}
