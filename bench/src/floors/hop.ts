import { credentials } from '@grpc/grpc-js';
import { GetMeRequest } from '@sabia/protos/sabia/identity/v1/messages';
import { IdentityServiceClient } from '@sabia/protos/sabia/identity/v1/service';
import type { Job } from '../load';
import { startFloor } from './floor-process';

/** The hop floor: one unary grpc-js call with ts-proto codecs to a server that answers a constant. */
export async function openHop(): Promise<{ job: Job; close(): Promise<void> }> {
  const server = await startFloor('hop-server');
  const client = new IdentityServiceClient(`127.0.0.1:${server.port}`, credentials.createInsecure());
  const request = GetMeRequest.fromPartial({});
  return {
    job: () =>
      new Promise<void>((resolve, reject) => {
        client.getMe(request, (error) => (error ? reject(error) : resolve()));
      }),
    close: async () => {
      client.close();
      await server.close();
    },
  };
}
