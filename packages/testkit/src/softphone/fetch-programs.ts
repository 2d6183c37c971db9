import { asteriskRecipe } from '@sabia/embedded/asterisk/recipe';
import { kamailioRecipe } from '@sabia/embedded/kamailio/recipe';
import { obtainBundles } from '@sabia/embedded/programs/debian-bundle';
import type { Progress } from '@sabia/embedded/progress';
import { sharedCache } from '../run-homes';
import { chromiumRecipes } from '../web-phone/chromium';
import { phoneRecipes } from './programs';

/**
 * Fetches the programs of telephony tests before the first test, whose time limit a download could exceed. A program that is
 * not available fails the test that uses it.
 */
export async function fetchTestPrograms(progress: Progress): Promise<void> {
  await obtainBundles([asteriskRecipe(), kamailioRecipe(), ...phoneRecipes, ...chromiumRecipes()], {
    ...{ cache: sharedCache, progress },
  });
}
