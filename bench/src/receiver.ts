import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';

export interface Seen {
  /** The first body that came. */
  firstBody: string;
  /** Milliseconds from the event to its receiver, of what has come on `/late` since the last look. */
  ages: number[];
}

export interface Receiver {
  origin: string;
  /** All that was ever received on `/count` and `/late`. */
  count(): Promise<number>;
  look(): Promise<Seen>;
  close(): Promise<void>;
}

/** Runs in a process of its own, as a receiver on another machine would. */
export async function openReceiver(): Promise<Receiver> {
  const child = fork(join(__dirname, 'floors', 'receiver-server.js'), { stdio: 'inherit' });
  const [{ port }] = (await once(child, 'message')) as [{ port: number }];
  async function ask<T>(question: string): Promise<T> {
    child.send(question);
    const [answer] = (await once(child, 'message')) as [T];
    return answer;
  }
  return {
    origin: `http://127.0.0.1:${port}`,
    count: () => ask<number>('count'),
    look: () => ask<Seen>('look'),
    async close() {
      const exited = once(child, 'exit');
      child.disconnect();
      await exited;
    },
  };
}
