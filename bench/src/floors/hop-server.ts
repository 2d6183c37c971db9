import { Server, ServerCredentials } from '@grpc/grpc-js';
import { GetMeResponse } from '@sabia/protos/sabia/identity/v1/messages';
import { IdentityServiceService } from '@sabia/protos/sabia/identity/v1/service';

// The least a request through one gRPC service can cost: a bare grpc-js server that answers a constant.
const answer = GetMeResponse.fromPartial({
  user: {
    uuid: '00000000-0000-4000-8000-000000000000',
    name: 'Floor',
    email: 'floor@example.com',
    phone: '+5511987654321',
  },
});
const server = new Server();
server.addService(IdentityServiceService, {
  getMe: (_call: unknown, callback: (error: null, value: GetMeResponse) => void) => callback(null, answer),
});
server.bindAsync('127.0.0.1:0', ServerCredentials.createInsecure(), (error, port) => {
  if (error) throw error;
  process.send?.({ port });
});
process.once('disconnect', () => server.forceShutdown());
