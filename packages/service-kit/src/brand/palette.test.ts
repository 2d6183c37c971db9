import { palette, paletteCss } from './palette';
import type { Colour } from './palette';

const pairs: [text: Colour, ground: Colour, ratio: number][] = [
  ...(['ink', 'soft', 'accent', 'good', 'warn', 'bad'] as const).flatMap((text) =>
    (['paper', 'card', 'sunken'] as const).map((ground): [Colour, Colour, number] => [text, ground, 4.5]),
  ),
  ['onAccent', 'accent', 4.5],
  ['edge', 'paper', 3],
  ['edge', 'card', 3],
];

test.each(['light', 'dark'] as const)('every text can be read on every ground, %s (WCAG 2.2 AA)', (mode) => {
  const colours = palette[mode];
  const tooFaint = pairs
    .map(([text, ground, ratio]) => ({ text, ground, ratio, found: contrast(colours[text], colours[ground]) }))
    .filter(({ found, ratio }) => found < ratio);
  expect(tooFaint).toEqual([]);
});

test('the variables of the style sheet hold the palette', () => {
  const [light, dark] = paletteCss.split('@media');
  expect(light).toContain(`--on-accent:${palette.light.onAccent}`);
  expect(dark).toContain(`--on-accent:${palette.dark.onAccent}`);
});

function contrast(one: string, other: string): number {
  const [darker, lighter] = [luminance(one), luminance(other)].sort((a, b) => a - b) as [number, number];
  return (lighter + 0.05) / (darker + 0.05);
}

function luminance(colour: string): number {
  const [red, green, blue] = [1, 3, 5].map((start) => {
    const channel = parseInt(colour.slice(start, start + 2), 16) / 255;
    return channel <= 0.04045 ? channel / 12.92 : ((channel + 0.055) / 1.055) ** 2.4;
  }) as [number, number, number];
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}
