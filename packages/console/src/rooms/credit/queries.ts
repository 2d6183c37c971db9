import type { CreateChargeRequest } from '@sabia/client';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { sabia } from '../../api/client';
import { isNotFound } from '../../api/errors';

export type { Charge } from '@sabia/client';

const onePage = { filter: { limit: 50 } };

export function useBalance() {
  return useQuery({ queryKey: ['credit', 'balance'], queryFn: () => sabia.credit.balance() });
}

export function useCharges(page: number) {
  return useQuery({
    queryKey: ['credit', 'charges', page],
    queryFn: () => sabia.charges.list(onePage).page(page),
    placeholderData: (previous) => previous,
  });
}

export function useCharge(id: string) {
  return useQuery({
    queryKey: ['credit', 'charge', id],
    queryFn: () => sabia.charges.get(id),
    throwOnError: (error) => isNotFound(error),
  });
}

export function useStatement(page: number) {
  return useQuery({
    queryKey: ['credit', 'statement', page],
    queryFn: () => sabia.credit.statement(onePage).page(page),
    placeholderData: (previous) => previous,
  });
}

export function useQuote(destination: string) {
  return useQuery({
    queryKey: ['credit', 'quote', destination],
    queryFn: () => sabia.rates.quote(destination),
    enabled: destination !== '',
  });
}

export function useCreateCharge() {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: (body: CreateChargeRequest) => sabia.charges.create(body),
    onSuccess: () => queries.invalidateQueries({ queryKey: ['credit'] }),
  });
}

export function useCancelCharge() {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: (id: number) => sabia.charges.cancel(id),
    onSuccess: () => queries.invalidateQueries({ queryKey: ['credit'] }),
  });
}
