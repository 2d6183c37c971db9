import { obtainBundles, type ObtainOptions, type Program } from '../programs/debian-bundle';
import { findOnPath } from '../programs/find-on-path';
import { run } from '../programs/run';
import { asteriskRecipe } from './recipe';

const OLDEST_FIT_VERSION = 22;

export type AsteriskSearch = { program: Program } | { program?: undefined; reason: string };

/** Takes Asterisk from the cache, else fetches it, else looks in PATH; else says why there is none. */
export async function findAsterisk(options: ObtainOptions & { path: string }): Promise<AsteriskSearch> {
  const recipe = asteriskRecipe();
  let reason = 'the bundle holds no Asterisk';
  try {
    const bundle = (await obtainBundles([recipe], options)).get(recipe.id);
    const fetched = bundle instanceof Map ? bundle.get('asterisk') : undefined;
    if (fetched) return { program: fetched };
    if (bundle instanceof Error) reason = bundle.message;
  } catch (error) {
    options.signal?.throwIfAborted();
    reason = error instanceof Error ? error.message : String(error);
  }

  const command = findOnPath('asterisk', options.path);
  if (!command) return { reason: `it is not on PATH, and the Debian package could not be fetched: ${reason}` };
  const version = await run(command, ['-V']).catch(() => '');
  if (Number(/Asterisk (\d+)/.exec(version)?.[1]) >= OLDEST_FIT_VERSION) return { program: { command, args: [] } };
  return { reason: `${command} is ${version.trim() || 'broken'}, and version ${OLDEST_FIT_VERSION} is needed` };
}
