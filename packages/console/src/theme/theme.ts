export type Theme = 'light' | 'dark' | 'system';

const key = 'sabia.theme';
const prefersDark = matchMedia('(prefers-color-scheme: dark)');

export function storedTheme(): Theme {
  const stored = localStorage.getItem(key);
  return stored === 'light' || stored === 'dark' ? stored : 'system';
}

export function applyTheme(theme: Theme = storedTheme()): void {
  const dark = theme === 'dark' || (theme === 'system' && prefersDark.matches);
  document.documentElement.dataset.theme = dark ? 'dark' : 'light';
}

export function chooseTheme(theme: Theme): void {
  localStorage.setItem(key, theme);
  applyTheme(theme);
}

export function followSystemTheme(): void {
  applyTheme();
  prefersDark.addEventListener('change', () => applyTheme());
}
