/** The colours of everything that people see: pages, mails, payment pages, mailbox, console. */
export const palette = {
  light: {
    ink: '#22201d',
    /** Less important text; readable on paper, card and sunken. */
    soft: '#655e56',
    paper: '#fbf9f6',
    card: '#ffffff',
    sunken: '#f7f3ed',
    line: '#e6e0d8',
    /** Borders of fields, which must be seen: 3 to 1. */
    edge: '#8f867b',
    accent: '#b4511e',
    /** Text on the accent. */
    onAccent: '#ffffff',
    good: '#2a7548',
    warn: '#8a5a0b',
    bad: '#a33a2c',
  },
  dark: {
    ink: '#efe9e1',
    soft: '#b0a699',
    paper: '#191715',
    card: '#221f1c',
    sunken: '#2a2622',
    line: '#38332e',
    edge: '#81786d',
    accent: '#e58a54',
    onAccent: '#2b1204',
    good: '#6fc492',
    warn: '#e0b15c',
    bad: '#ec9080',
  },
} as const;

export type Colour = keyof (typeof palette)['light'];

export const brandName = 'Sabiá';

export const fontStack = 'system-ui,-apple-system,"Segoe UI",Roboto,"Helvetica Neue",Arial,sans-serif';
export const monoStack = 'ui-monospace,SFMono-Regular,Menlo,Consolas,monospace';

/** The palette as CSS variables, `--on-accent` for onAccent; dark where the reader's system is. */
export const paletteCss = `:root{color-scheme:light dark;${variables('light')}}@media (prefers-color-scheme:dark){:root{${variables('dark')}}}`;

function variables(mode: keyof typeof palette): string {
  return Object.entries(palette[mode])
    .map(([name, value]) => `--${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}:${value}`)
    .join(';');
}
