import scalarUrl from 'virtual:scalar-url';
import { configuration } from './configuration';
import { refuseCodeFromTexts } from './refuse-code-from-texts';
import { showSession } from './session-line';

const darkness = matchMedia('(prefers-color-scheme: dark)');

function show(): void {
  const target = document.querySelector('#reference')!;
  target.replaceChildren();
  const reference = Scalar.createApiReference(target, configuration(darkness.matches));
  darkness.addEventListener('change', ({ matches }) => reference.updateConfiguration(configuration(matches)));
}

refuseCodeFromTexts();
const script = document.createElement('script');
script.src = scalarUrl;
script.addEventListener('load', show);
document.head.append(script);
void showSession();
// Logging in or out happens in another tab.
addEventListener('focus', () => void showSession());
