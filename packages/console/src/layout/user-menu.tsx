import { useQueryClient } from '@tanstack/react-query';
import { BookOpen, Check, LogOut } from 'lucide-react';
import { useState } from 'react';
import { forgetSession, logOut, useSession } from '../api/session';
import { Button } from '../components/ui/button';
import { Menu, MenuGroup, MenuItem, MenuSeparator } from '../components/ui/menu';
import { toastError } from '../components/ui/toast';
import { m } from '../paraglide/messages';
import { getLocale, locales, setLocale } from '../paraglide/runtime';
import { chooseTheme, storedTheme } from '../theme/theme';
import type { Theme } from '../theme/theme';

const themes: { theme: Theme; name: () => string }[] = [
  { theme: 'system', name: m.shell_theme_system },
  { theme: 'light', name: m.shell_theme_light },
  { theme: 'dark', name: m.shell_theme_dark },
];
const languages: Record<(typeof locales)[number], string> = { 'pt-BR': 'Português', en: 'English' };

export function UserMenu() {
  const { user } = useSession();
  const queries = useQueryClient();
  const [theme, setTheme] = useState(storedTheme);

  const leave = () => {
    logOut()
      .then(() => forgetSession(queries))
      .catch(toastError);
  };
  const choose = (chosen: Theme) => {
    chooseTheme(chosen);
    setTheme(chosen);
  };
  const initials = user.name.trim().slice(0, 1).toUpperCase();
  return (
    <Menu
      trigger={
        <Button look="quiet" size="icon" aria-label={m.shell_account_menu({ name: user.name })}>
          <span className="grid size-8 place-items-center rounded-full bg-accent-wash font-semibold text-accent">
            {initials}
          </span>
        </Button>
      }
    >
      <div className="max-w-64 px-3 py-2">
        <p className="truncate font-medium" title={user.name}>
          {user.name}
        </p>
        <p className="truncate text-sm text-soft" title={user.email}>
          {user.email}
        </p>
      </div>
      <MenuSeparator />
      <MenuGroup label={m.shell_theme()}>
        {themes.map(({ theme: each, name }) => (
          <MenuItem key={each} onClick={() => choose(each)}>
            <Check className={each === theme ? '' : 'invisible'} aria-hidden />
            {name()}
          </MenuItem>
        ))}
      </MenuGroup>
      <MenuGroup label={m.shell_language()}>
        {locales.map((locale) => (
          <MenuItem key={locale} onClick={() => void setLocale(locale)} lang={locale}>
            <Check className={locale === getLocale() ? '' : 'invisible'} aria-hidden />
            {languages[locale]}
          </MenuItem>
        ))}
      </MenuGroup>
      <MenuSeparator />
      <MenuItem render={<a href="/docs" hrefLang="en" />}>
        <BookOpen aria-hidden />
        {m.shell_api_reference()}
      </MenuItem>
      <MenuItem onClick={leave}>
        <LogOut aria-hidden />
        {m.shell_logout()}
      </MenuItem>
    </Menu>
  );
}
