import type { Entry } from '../harness';
import { startFloor } from '../floors/floor-process';
import { openHop } from '../floors/hop';
import { openHttpJob } from '../http-job';

/** What a gRPC hop costs beside plain HTTP: the floor under every other entry. */
export const grpcHop: Entry = {
  name: 'one gRPC hop (the hop floor)',
  floorName: 'node:http JSON',
  async prepare() {
    const http = await startFloor('http-server');
    const plain = openHttpJob({
      origin: `http://127.0.0.1:${http.port}`,
      connections: 64,
      request: () => ({ method: 'GET', path: '/' }),
      expectedStatus: 200,
    });
    const hop = await openHop();
    return {
      floor: plain.job,
      product: hop.job,
      close: async () => {
        await Promise.all([plain.close(), hop.close()]);
        await http.close();
      },
    };
  },
};
