import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { ApiError } from '../../api/api-error';
import { api, bodyOf } from '../../api/client';
import type { Schemas } from '../../api/client';

export type Extension = Schemas['Extension'];
export type SipServer = Schemas['SipServer'];

export function useExtensions() {
  return useQuery({ queryKey: ['extensions', 'list'], queryFn: () => bodyOf(api.GET('/api/v1/extensions')) });
}

export function useExtension(id: number) {
  return useQuery({
    queryKey: ['extensions', 'one', id],
    queryFn: () => bodyOf(api.GET('/api/v1/extensions/{id}', { params: { path: { id } } })),
    throwOnError: (error, { state }) => state.data === undefined || (error instanceof ApiError && error.status === 404),
  });
}

export function useRegistration(id: number) {
  return useQuery({
    queryKey: ['extensions', 'one', id, 'registration'],
    queryFn: () =>
      bodyOf(api.GET('/api/v1/extensions/{extension_id}/registration', { params: { path: { extension_id: id } } })),
  });
}

/** Where softphones and desk phones register; none: at the domain of the account. */
export function useSipServers() {
  return useQuery({
    queryKey: ['extensions', 'sip-servers'],
    queryFn: async () => (await bodyOf(api.GET('/api/v1/phone'))).sipServers,
    staleTime: Infinity,
  });
}

/** The address that Linphone fetches, and when it ends by the clock of this machine. */
export async function createSetupLink(id: number) {
  const { data, response } = await api.POST('/api/v1/extensions/{id}/provisioning', { params: { path: { id } } });
  const { path, expiresAt } = data!;
  const serverTime = Date.parse(response.headers.get('date') ?? '') || Date.now();
  return { url: location.origin + path, endsAt: Date.now() + Date.parse(expiresAt) - serverTime };
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

export const saveExtension = (body: Schemas['UpsertExtensionRequest']) =>
  bodyOf(api.PATCH('/api/v1/extensions', { body }));

type NewExtension = Schemas['CreateExtensionRequest'];

/** With a number of its own; a password that is left out is generated. */
export const createExtension = ({ senha = null, ...others }: Omit<NewExtension, 'senha'> & Partial<NewExtension>) =>
  bodyOf(api.POST('/api/v1/extensions', { body: { senha, ...others } }));

export const createNextExtension = (body: Schemas['CreateNextExtensionRequest']) =>
  bodyOf(api.POST('/api/v1/extensions/next-available', { body }));

export const deleteExtension = (id: number) => api.DELETE('/api/v1/extensions/{id}', { params: { path: { id } } });

export const throwOut = (id: number) =>
  api.DELETE('/api/v1/extensions/{extension_id}/registration', { params: { path: { extension_id: id } } });
