import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';

/** Floors run in a process of their own, as the product does, so that both pay for crossing one. */
export async function startFloor(
  name: 'hop-server' | 'http-server' | 'page-server',
  ...args: string[]
): Promise<{ port: number; close(): Promise<void> }> {
  const child = fork(join(__dirname, `${name}.js`), args, { stdio: 'inherit' });
  const [message] = (await once(child, 'message')) as [{ port: number }];
  return {
    port: message.port,
    close: async () => {
      const exited = once(child, 'exit');
      child.disconnect();
      await exited;
    },
  };
}
