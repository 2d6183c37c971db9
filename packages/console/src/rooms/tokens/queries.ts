import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { api, bodyOf } from '../../api/client';
import type { Schemas } from '../../api/client';

export type Token = Schemas['AccessTokenSummary'];

const key = ['tokens'];

export function useTokens() {
  return useQuery({ queryKey: key, queryFn: () => bodyOf(api.GET('/api/v1/users/accessTokens')) });
}

export function useCreateToken() {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: (body: Schemas['CreateAccessTokenRequest']) => bodyOf(api.POST('/api/v1/users/accessTokens', { body })),
    onSuccess: () => queries.invalidateQueries({ queryKey: key }),
  });
}

export function useRevokeToken() {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: (prefix: string) => api.DELETE('/api/v1/users/accessTokens/{prefix}', { params: { path: { prefix } } }),
    onSuccess: () => queries.invalidateQueries({ queryKey: key }),
  });
}
