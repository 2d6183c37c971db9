import type { CreateUserRequest, UpdateUserRequest } from '@sabia/client';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { sabia } from '../../api/client';

export type { User } from '@sabia/client';

export function useUsers() {
  return useQuery({ queryKey: ['people', 'list'], queryFn: () => sabia.users.list() });
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

export const createUser = (body: CreateUserRequest) => sabia.users.create(body);

export const updateUser = (body: UpdateUserRequest) => sabia.users.update(body);

export const deleteUser = (uuid: string) => sabia.users.delete(uuid);
