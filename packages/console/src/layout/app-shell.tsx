import { Drawer } from '@base-ui/react/drawer';
import { Menu as MenuIcon, X } from 'lucide-react';
import { useState } from 'react';
import { Link, Outlet, ScrollRestoration } from 'react-router';
import { Button } from '../components/ui/button';
import { LiveProvider } from '../live/live-provider';
import { m } from '../paraglide/messages';
import { DockStateProvider } from '../phone/dock-state';
import { PhoneDock } from '../phone/phone-dock';
import { PhoneProvider } from '../phone/phone-provider';
import { BrandMark } from './brand-mark';
import { LiveSign } from './live-sign';
import { Navigation } from './navigation';
import { UserMenu } from './user-menu';

/** What stands around every page of a logged-in user. */
export function AppShell() {
  return (
    <LiveProvider>
      <PhoneProvider>
        <DockStateProvider>
          <a
            href="#content"
            className="sr-only focus:not-sr-only focus:fixed focus:top-2 focus:left-2 focus:z-50 focus:rounded-lg focus:bg-card focus:px-4 focus:py-2"
          >
            {m.shell_skip()}
          </a>
          <div className="min-h-dvh lg:grid lg:grid-cols-[15rem_1fr]">
            <aside className="sticky top-0 hidden h-dvh flex-col gap-6 border-r bg-card p-4 lg:flex">
              <Link to="/" className="px-3 pt-1">
                <BrandMark />
              </Link>
              <Navigation />
            </aside>
            <div className="min-w-0">
              <header className="sticky top-0 z-30 flex h-14 items-center gap-2 border-b bg-paper/90 px-4 backdrop-blur">
                <NavigationDrawer />
                <Link to="/" className="flex lg:hidden">
                  <BrandMark />
                </Link>
                <div className="ml-auto flex items-center gap-2">
                  <LiveSign />
                  <UserMenu />
                </div>
              </header>
              <main
                id="content"
                tabIndex={-1}
                className="mx-auto w-full max-w-6xl px-4 pt-6 pb-28 outline-none sm:px-6"
              >
                <Outlet />
              </main>
            </div>
          </div>
          <PhoneDock />
          <ScrollRestoration />
        </DockStateProvider>
      </PhoneProvider>
    </LiveProvider>
  );
}

function NavigationDrawer() {
  const [open, setOpen] = useState(false);
  return (
    <Drawer.Root open={open} onOpenChange={setOpen} swipeDirection="left">
      <Drawer.Trigger
        render={<Button look="quiet" size="icon" className="lg:hidden" aria-label={m.shell_menu_open()} />}
      >
        <MenuIcon />
      </Drawer.Trigger>
      <Drawer.Portal>
        <Drawer.Backdrop className="fixed inset-0 z-40 bg-black/40" />
        <Drawer.Popup className="fixed inset-y-0 left-0 z-50 w-72 max-w-[85vw] border-r bg-card p-4 text-ink shadow-xl">
          <div className="mb-6 flex items-center justify-between">
            <Drawer.Title render={<div />}>
              <BrandMark />
            </Drawer.Title>
            <Drawer.Close render={<Button look="quiet" size="icon" aria-label={m.shell_menu_close()} />}>
              <X />
            </Drawer.Close>
          </div>
          <Navigation onNavigate={() => setOpen(false)} />
        </Drawer.Popup>
      </Drawer.Portal>
    </Drawer.Root>
  );
}
