import type { CreateAccessTokenRequest } from '@sabia/client';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { sabia } from '../../api/client';

export type { AccessTokenSummary as Token } from '@sabia/client';

const key = ['tokens'];

export function useTokens() {
  return useQuery({ queryKey: key, queryFn: () => sabia.tokens.list() });
}

export function useCreateToken() {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: (body: CreateAccessTokenRequest) => sabia.tokens.create(body),
    onSuccess: () => queries.invalidateQueries({ queryKey: key }),
  });
}

export function useRevokeToken() {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: (prefix: string) => sabia.tokens.revoke(prefix),
    onSuccess: () => queries.invalidateQueries({ queryKey: key }),
  });
}
