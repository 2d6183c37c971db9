import type { NumberProof } from '@sabia/client';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import { sabia } from '../../api/client';

export type { AccountNumber, NumberProof } from '@sabia/client';

const LOOK_MS = 1_000;
const listKey = ['extensions', 'numbers'];

export function useNumbers() {
  return useQuery({ queryKey: listKey, queryFn: () => sabia.numbers.list() });
}

export function useStartProof() {
  return useMutation({ mutationFn: (number: string) => sabia.numbers.prove(number) });
}

/** Asked for again until it is decided; then the numbers are, too. */
export function useProof(started: NumberProof): NumberProof {
  const queries = useQueryClient();
  const { data } = useQuery({
    queryKey: ['extensions', 'proofs', started.id],
    queryFn: () => sabia.numbers.proof(started.id),
    initialData: started,
    refetchInterval: ({ state }) => (state.data?.status === 'CALLING' ? LOOK_MS : false),
  });
  const isProven = data.status === 'PROVEN';
  useEffect(() => {
    if (isProven) void queries.invalidateQueries({ queryKey: listKey });
  }, [isProven, queries]);
  return data;
}

export const endProof = ({ id }: NumberProof) => sabia.calls.hangUp(id);
