import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { ApiError } from '../../api/api-error';
import { api, bodyOf } from '../../api/client';
import type { Schemas } from '../../api/client';

export type Charge = Schemas['Charge'];

export function useBalance() {
  return useQuery({ queryKey: ['credit', 'balance'], queryFn: () => bodyOf(api.GET('/api/v1/credits/balance')) });
}

export function useCharges(page: number) {
  return useQuery({
    queryKey: ['credit', 'charges', page],
    queryFn: () => bodyOf(api.GET('/api/v1/charges', { params: { query: { page } } })),
    placeholderData: (previous) => previous,
  });
}

export function useCharge(id: string) {
  return useQuery({
    queryKey: ['credit', 'charge', id],
    queryFn: () => bodyOf(api.GET('/api/v1/charges/{id}', { params: { path: { id } } })),
    throwOnError: (error) => error instanceof ApiError && error.status === 404,
  });
}

export function useStatement(page: number) {
  return useQuery({
    queryKey: ['credit', 'statement', page],
    queryFn: () => bodyOf(api.GET('/api/v1/credits/statement', { params: { query: { page } } })),
    placeholderData: (previous) => previous,
  });
}

export function useQuote(destination: string) {
  return useQuery({
    queryKey: ['credit', 'quote', destination],
    queryFn: () => bodyOf(api.GET('/api/v1/rates', { params: { query: { destination } } })),
    enabled: destination !== '',
  });
}

export function useCreateCharge() {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: (body: Schemas['CreateChargeRequest']) => bodyOf(api.POST('/api/v1/charges', { body })),
    onSuccess: () => queries.invalidateQueries({ queryKey: ['credit'] }),
  });
}

export function useCancelCharge() {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: (id: number) =>
      bodyOf(api.PATCH('/api/v1/charges/{id}/cancel', { params: { path: { id: String(id) } } })),
    onSuccess: () => queries.invalidateQueries({ queryKey: ['credit'] }),
  });
}
