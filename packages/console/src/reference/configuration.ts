import { sendWithSession } from './send-with-session';

/** Blue and purple mark methods and parts of code; the palette of the house has neither. Both can be read on paper, card and sunken. */
const further = {
  light: { blue: '#2459a9', purple: '#6b3fa0' },
  dark: { blue: '#8ab4f8', purple: '#c3a6f0' },
};

/**
 * The colours of the house, which the page has as variables, in the place of Scalar's own. Scalar marks parts of a light page as dark,
 * and the page has one palette at a time.
 */
const colours = ({ blue, purple }: { blue: string; purple: string }): string => `
.light-mode, .dark-mode {
  --scalar-color-1: var(--ink);
  --scalar-color-2: var(--soft);
  --scalar-color-3: var(--soft);
  --scalar-color-accent: var(--accent);
  --scalar-color-green: var(--good);
  --scalar-color-red: var(--bad);
  --scalar-color-yellow: var(--warn);
  --scalar-color-orange: var(--accent);
  --scalar-color-blue: ${blue};
  --scalar-color-purple: ${purple};
  --scalar-background-1: var(--paper);
  --scalar-background-2: var(--card);
  --scalar-background-3: var(--sunken);
  --scalar-background-accent: var(--sunken);
  --scalar-border-color: var(--line);
}
.sidebar, .t-doc__sidebar {
  --scalar-sidebar-background-1: var(--card);
  --scalar-sidebar-color-1: var(--ink);
  --scalar-sidebar-color-2: var(--soft);
  --scalar-sidebar-color-active: var(--accent);
  --scalar-sidebar-item-active-background: var(--sunken);
  --scalar-sidebar-border-color: var(--line);
}`;

/** The section that an address leads to is focused by script; a frame around half of the page helps nobody. */
const withoutFrames = '.section:focus-visible { outline: none; }';

/** The examples are in curl, JavaScript, Python, PHP and Go; what else Scalar knows would only be in the way. */
const hiddenClients = {
  ...Object.fromEntries(
    ['c', 'clojure', 'csharp', 'dart', 'fsharp', 'http', 'java', 'julia', 'kotlin', 'node', 'objc', 'ocaml']
      .concat(['powershell', 'r', 'ruby', 'rust', 'swift'])
      .map((target) => [target, true]),
  ),
  shell: ['httpie', 'wget'],
  js: ['axios', 'jquery', 'ofetch', 'xhr'],
  python: ['requests', 'aiohttp', 'httpx_sync', 'httpx_async'],
  php: ['guzzle', 'laravel'],
};

export function configuration(dark: boolean): Record<string, unknown> {
  return {
    url: document.querySelector<HTMLElement>('#reference')!.dataset['document'],
    // The address under which the reader sees this page, whatever the gateway believes to be its own.
    servers: [{ url: location.origin }],
    theme: 'none',
    customCss: colours(dark ? further.dark : further.light) + withoutFrames,
    localization: { locale: document.documentElement.lang === 'pt-BR' ? 'pt' : 'en' },
    forceDarkModeState: dark ? 'dark' : 'light',
    hideDarkModeToggle: true,
    // Nothing is asked of anybody but the gateway.
    withDefaultFonts: false,
    telemetry: false,
    agent: { disabled: true },
    mcp: { disabled: true },
    showDeveloperTools: 'never',
    hideClientButton: true,
    defaultHttpClient: { targetKey: 'shell', clientKey: 'curl' },
    hiddenClients,
    authentication: { preferredSecurityScheme: 'token' },
    persistAuth: false,
    customFetch: sendWithSession,
  };
}
