import { palette } from './palette';

const { accent, onAccent } = palette.light;

/** The thrush on its tile, 32 by 32. The same colours on light and dark ground. */
const tile =
  `<rect width="32" height="32" rx="8.5" fill="${accent}"/>` +
  '<g transform="translate(1.6 1.7) scale(.91)">' +
  `<path fill="${onAccent}" d="M28 11.4 24 9.7C23 7 20.6 5.3 17.9 5.3c-3.9 0-6.8 3-6.8 6.9 0 2.8-1.4 5-3.7 7.1L3.4 23c-.4.4-.1 1 .4 1l6.1-.3c1.7 1.5 3.9 2.3 6.3 2.3 5 0 8.5-4 8.5-9 0-1.3-.1-2.4-.4-3.5z"/>` +
  `<circle cx="19.5" cy="10.7" r="1.25" fill="${accent}"/>` +
  `<path fill="none" stroke="${accent}" stroke-width="1.7" stroke-linecap="round" d="M9.8 21.6c4.3.8 8.2-1.7 8.7-6.1"/>` +
  '</g>';

/** A file of its own, such as a favicon. */
export const markFile = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32">${tile}</svg>`;

export const markDataUrl = `data:image/svg+xml,${encodeURIComponent(markFile)}`;

/** Inside a page, beside the name, which says the same. */
export const inlineMark = (size: number): string =>
  `<svg width="${size}" height="${size}" viewBox="0 0 32 32" aria-hidden="true" focusable="false">${tile}</svg>`;
