import { asteriskRecipe } from '@sabia/embedded/asterisk/recipe';
import { obtainBundles } from '@sabia/embedded/programs/debian-bundle';
import type { Progress } from '@sabia/embedded/progress';
import { sharedCache } from '../run-homes';
import { chromiumRecipes } from '../web-phone/chromium';
import { phoneRecipes } from './programs';

/**
 * What tests of telephony need, all at once and before the first of them, whose time would not suffice. What cannot be had is
 * told by the test that wants it.
 */
export async function fetchTestPrograms(progress: Progress): Promise<void> {
  await obtainBundles([asteriskRecipe(), ...phoneRecipes, ...chromiumRecipes()], { cache: sharedCache, progress });
}
