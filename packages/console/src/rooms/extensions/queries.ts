import type { CreateExtensionRequest, CreateNextExtensionRequest, UpsertExtensionRequest } from '@sabia/client';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { sabia } from '../../api/client';
import { isNotFound } from '../../api/errors';
import { serverNow } from '../../api/server-clock';

export type { Extension, SipServer } from '@sabia/client';

export function useExtensions() {
  return useQuery({ queryKey: ['extensions', 'list'], queryFn: () => sabia.extensions.list() });
}

export function useExtension(id: number) {
  return useQuery({
    queryKey: ['extensions', 'one', id],
    queryFn: () => sabia.extensions.get(id),
    throwOnError: (error, { state }) => state.data === undefined || isNotFound(error),
  });
}

export function useRegistration(id: number) {
  return useQuery({
    queryKey: ['extensions', 'one', id, 'registration'],
    queryFn: () => sabia.extensions.registration(id),
  });
}

/** Where softphones and desk phones register; none: at the domain of the account. */
export function useSipServers() {
  return useQuery({
    queryKey: ['extensions', 'sip-servers'],
    queryFn: async () => (await sabia.extensions.phone()).sipServers,
    staleTime: Infinity,
  });
}

/** The address that Linphone fetches, and when it ends by the clock of this machine. */
export async function createSetupLink(id: number) {
  const { path, expiresAt } = await sabia.extensions.provisioning(id);
  return { url: location.origin + path, endsAt: Date.now() + Date.parse(expiresAt) - serverNow() };
}

/** A mutation after which every page about extensions is asked for again. */
export function useExtensionChange<Input, Output>(
  change: (input: Input) => Promise<Output>,
  onDone: (output: Output) => void,
) {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: change,
    async onSuccess(output) {
      await queries.invalidateQueries({ queryKey: ['extensions'] });
      onDone(output);
    },
  });
}

export const saveExtension = ({ id, ...body }: { id: number } & Omit<UpsertExtensionRequest, 'id'>) =>
  sabia.extensions.update(id, body);

/** With a number of its own; a password that is left out is generated. */
export const createExtension = ({
  senha = null,
  ...others
}: Omit<CreateExtensionRequest, 'senha'> & Partial<CreateExtensionRequest>) =>
  sabia.extensions.create({ senha, ...others });

export const createNextExtension = (body: CreateNextExtensionRequest) => sabia.extensions.createNext(body);

export const deleteExtension = (id: number) => sabia.extensions.delete(id);

export const throwOut = (id: number) => sabia.extensions.endRegistration(id);
