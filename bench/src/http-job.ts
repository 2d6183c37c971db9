import { Pool } from 'undici';
import type { Dispatcher } from 'undici';
import type { Job } from './load';

export interface HttpJobOptions {
  origin: string;
  connections: number;
  request: () => Omit<Dispatcher.RequestOptions, 'origin'>;
  expectedStatus: number;
}

export function openHttpJob({ origin, connections, request, expectedStatus }: HttpJobOptions): {
  job: Job;
  close(): Promise<void>;
} {
  const pool = new Pool(origin, { connections, pipelining: 1 });
  return {
    job: async () => {
      const answer = await pool.request(request());
      if (answer.statusCode !== expectedStatus) {
        throw new Error(`status ${answer.statusCode}: ${(await answer.body.text()).slice(0, 200)}`);
      }
      await answer.body.dump();
    },
    close: () => pool.close(),
  };
}
