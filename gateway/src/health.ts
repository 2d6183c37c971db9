export interface Readiness {
  ready: boolean;
  body: string;
}

/** Whether a dependency is up. */
export type Check = () => boolean | Promise<boolean>;

// Without identity no token can be checked. Each other dependency is needed by some routes only, and those respond with 503.
const indispensable = 'identity';

export function createReadiness(
  checks: Readonly<Record<string, Check>>,
  stopping: AbortSignal,
): () => Promise<Readiness> {
  let running: Promise<Readiness> | undefined;
  // The route is public, so concurrent requests share one check of the services.
  return () => (running ??= check().finally(() => (running = undefined)));

  async function check(): Promise<Readiness> {
    const states = await Promise.all(
      Object.entries(checks).map(async ([name, isUp]) => [name, (await isUp()) ? 'up' : 'away'] as const),
    );
    const dependencies = Object.fromEntries(states);
    const ready = !stopping.aborted && dependencies[indispensable] === 'up';
    return {
      ready,
      body: JSON.stringify({ status: stopping.aborted ? 'stopping' : ready ? 'ready' : 'waiting', dependencies }),
    };
  }
}
