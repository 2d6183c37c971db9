/** A server that was started here, or one that only its address is known of. */
export interface Server {
  url: string;
  port: number;
  /** False: it was given by its URL; it is never started, stopped or killed from here. */
  owned: boolean;
  pid: number | undefined;
  /** On the same port as before. */
  start(): Promise<void>;
  stop(): Promise<void>;
  /** As kill -9; stays away until start(). */
  kill(): Promise<void>;
  /** Alive but answering nothing, as a machine that swaps or a network that swallows. */
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
