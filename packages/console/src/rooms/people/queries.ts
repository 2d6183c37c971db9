import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { api, bodyOf } from '../../api/client';
import type { Schemas } from '../../api/client';

export type User = Schemas['User'];

export function useUsers() {
  return useQuery({ queryKey: ['people', 'list'], queryFn: () => bodyOf(api.GET('/api/v1/users')) });
}

/** A mutation after which the list of people is asked for again. */
export function usePeopleChange<Input, Output>(change: (input: Input) => Promise<Output>, onDone: () => void) {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: change,
    async onSuccess() {
      await queries.invalidateQueries({ queryKey: ['people'] });
      onDone();
    },
  });
}

export const createUser = (body: Schemas['CreateUserRequest']) => bodyOf(api.POST('/api/v1/users', { body }));

export const updateUser = (body: Schemas['UpdateUserRequest']) => bodyOf(api.PATCH('/api/v1/users', { body }));

export const deleteUser = (uuid: string) => api.DELETE('/api/v1/users/{uuid}', { params: { path: { uuid } } });
