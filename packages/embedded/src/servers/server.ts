/** A server that was started here, or one that was given by its URL. */
export interface Server {
  url: string;
  port: number;
  /** False for a server given by its URL, which is never started, stopped or killed from here. */
  owned: boolean;
  pid: number | undefined;
  /** On the same port as before. */
  start(): Promise<void>;
  stop(): Promise<void>;
  /** As kill -9; the server stays down until start(). */
  kill(): Promise<void>;
  /** Keeps the process alive without answers, like a machine that swaps or a network that drops packets. */
  pause(): void;
  resume(): void;
}

export function givenServer(url: string, defaultPort: number): Server {
  const refuse = () => {
    throw new Error('this server was given by its URL and is not ours to stop');
  };
  return {
    url,
    port: Number(new URL(url).port) || defaultPort,
    owned: false,
    pid: undefined,
    start: () => Promise.resolve(),
    stop: () => Promise.resolve(),
    kill: refuse,
    pause: refuse,
    resume: refuse,
  };
}
