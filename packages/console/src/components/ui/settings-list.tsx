import { Eye, EyeOff } from 'lucide-react';
import { useState } from 'react';
import { m } from '../../paraglide/messages';
import { Address } from './address';
import { Button } from './button';
import { CopyButton } from './copy-button';

interface Setting {
  name: string;
  value: string;
  /** Shown only when asked for. */
  secret?: boolean;
}

/** Names and values to copy into another program. */
export function SettingsList({ settings }: { settings: readonly Setting[] }) {
  return (
    <dl className="grid gap-px overflow-hidden rounded-lg border bg-line">
      {settings.map((setting) => (
        <SettingRow key={setting.name} {...setting} />
      ))}
    </dl>
  );
}

function SettingRow({ name, value, secret = false }: Setting) {
  const [shown, setShown] = useState(!secret);
  return (
    <div className="bg-card py-1.5 pr-1.5 pl-3">
      <dt className="text-xs text-soft">{name}</dt>
      <dd className="flex items-center gap-2">
        <span className="min-w-0 flex-1 font-mono text-sm">{shown ? <Address text={value} /> : '••••••••••••'}</span>
        {secret && (
          <Button
            look="quiet"
            size="icon-small"
            aria-label={shown ? m.shell_hide({ name }) : m.shell_show({ name })}
            onClick={() => setShown(!shown)}
          >
            {shown ? <EyeOff /> : <Eye />}
          </Button>
        )}
        <CopyButton text={value} />
      </dd>
    </div>
  );
}
