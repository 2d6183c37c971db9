import { ChartNoAxesColumn, Coins, KeyRound, PhoneCall, Settings, Users, Voicemail, Webhook } from 'lucide-react';
import { NavLink } from 'react-router';
import { cn } from '../components/class-names';
import { m } from '../paraglide/messages';

const rooms = [
  { to: '/', name: m.shell_nav_overview, Icon: ChartNoAxesColumn },
  { to: '/calls', name: m.shell_nav_calls, Icon: PhoneCall },
  { to: '/webhooks', name: m.shell_nav_webhooks, Icon: Webhook },
  { to: '/extensions', name: m.shell_nav_extensions, Icon: Voicemail },
  { to: '/credit', name: m.shell_nav_credit, Icon: Coins },
  { to: '/people', name: m.shell_nav_people, Icon: Users },
  { to: '/tokens', name: m.shell_nav_tokens, Icon: KeyRound },
  { to: '/account', name: m.shell_nav_account, Icon: Settings },
];

export function Navigation({ onNavigate }: { onNavigate?: () => void }) {
  return (
    <nav aria-label={m.shell_navigation()}>
      <ul className="grid gap-0.5">
        {rooms.map(({ to, name, Icon }) => (
          <li key={to}>
            <NavLink
              to={to}
              end={to === '/'}
              onClick={onNavigate}
              className={({ isActive }) =>
                cn(
                  'flex items-center gap-3 rounded-lg px-3 py-2 text-sm font-medium text-soft hover:bg-sunken hover:text-ink',
                  isActive && 'bg-accent-wash text-accent hover:bg-accent-wash hover:text-accent',
                )
              }
            >
              <Icon className="size-4.5 shrink-0" aria-hidden />
              {name()}
            </NavLink>
          </li>
        ))}
      </ul>
    </nav>
  );
}
