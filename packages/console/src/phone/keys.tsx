import { m } from '../paraglide/messages';

const keys = ['1', '2', '3', '4', '5', '6', '7', '8', '9', '*', '0', '#'];
const letters: Record<string, string> = {
  ...{ '2': 'ABC', '3': 'DEF', '4': 'GHI', '5': 'JKL', '6': 'MNO', '7': 'PQRS', '8': 'TUV', '9': 'WXYZ', '0': '+' },
};

/** The twelve keys of a telephone. Letters are drawn by the style sheet: the name of a key is its digit. */
export function Keys({ onPress }: { onPress: (key: string) => void }) {
  return (
    <div role="group" aria-label={m.phone_keys()} className="grid grid-cols-3 gap-2">
      {keys.map((key) => (
        <button
          key={key}
          type="button"
          data-letters={letters[key]}
          onClick={() => onPress(key)}
          className="grid h-12 content-center justify-items-center rounded-lg border text-lg leading-none font-medium after:mt-0.5 after:h-3 after:text-[0.625rem] after:tracking-widest after:text-soft after:content-[attr(data-letters)_/_''] hover:bg-sunken active:bg-accent-wash"
        >
          {key}
        </button>
      ))}
    </div>
  );
}
