import { obtainBundles, type ObtainOptions, type Program } from '../programs/debian-bundle';
import { findOnPath } from '../programs/find-on-path';
import { run } from '../programs/run';
import { kamailioRecipe } from './recipe';

const OLDEST_FIT_VERSION = 6;

export type KamailioSearch = { program: Program } | { program?: undefined; reason: string };

/** Takes Kamailio from the cache, else fetches it, else looks in PATH; else says why there is none. */
export async function findKamailio(options: ObtainOptions & { path: string }): Promise<KamailioSearch> {
  const recipe = kamailioRecipe();
  let reason = 'the bundle holds no Kamailio';
  try {
    const bundle = (await obtainBundles([recipe], options)).get(recipe.id);
    const fetched = bundle instanceof Map ? bundle.get('kamailio') : undefined;
    if (fetched) return { program: fetched };
    if (bundle instanceof Error) reason = bundle.message;
  } catch (error) {
    options.signal?.throwIfAborted();
    reason = error instanceof Error ? error.message : String(error);
  }

  const command = findOnPath('kamailio', options.path);
  if (!command) return { reason: `Kamailio is not on PATH, and the Debian package could not be fetched: ${reason}` };
  const version = await run(command, ['-v']).catch(() => '');
  const [, number = 'broken'] = /kamailio (\d[\d.]*)/.exec(version) ?? [];
  if (Number.parseInt(number) >= OLDEST_FIT_VERSION) return { program: { command, args: [] } };
  return { reason: `${command} is ${number}, and version ${OLDEST_FIT_VERSION} is needed` };
}
