import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { FormEvent } from 'react';
import { sabia } from '../api/client';
import { Button } from '../components/ui/button';
import { TextField } from '../components/ui/field';
import { m } from '../paraglide/messages';
import type { Phone } from './engine/phone';
import { Refusal } from './engine/api';
import { usePhoneSnapshot } from './phone-provider';

const MOST_SHOWN = 6;

/** Hands the call to another extension, which takes it over when it picks up. */
export function TransferForm({ phone, onDone }: { phone: Phone; onDone: () => void }) {
  const [wanted, setWanted] = useState('');
  const [error, setError] = useState<string>();
  const own = usePhoneSnapshot()?.extension?.ramal;
  const { data: extensions = [] } = useQuery({
    queryKey: ['extensions', 'colleagues'],
    queryFn: () => sabia.extensions.list(),
  });
  const fitting = extensions
    .filter(({ ramal, registered }) => registered && ramal !== own)
    .filter(({ ramal = '', name = '' }) => `${ramal} ${name}`.toLowerCase().includes(wanted.trim().toLowerCase()))
    .slice(0, MOST_SHOWN);

  const transfer = (to: string) => {
    phone.transfer(to).then(onDone, (refused: unknown) => {
      const code = refused instanceof Refusal ? refused.code : '';
      setError(
        code === 'USER_NOT_REGISTERED'
          ? m.phone_transfer_absent()
          : code.startsWith('VALIDATION_ERROR')
            ? m.phone_transfer_unknown()
            : String((refused as Error).message),
      );
    });
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (wanted.trim() !== '') transfer(wanted.trim());
  };
  return (
    <form onSubmit={submit} className="grid gap-3">
      <TextField
        label={m.phone_transfer_to()}
        hint={m.phone_transfer_hint()}
        error={error}
        inputMode="numeric"
        autoComplete="off"
        value={wanted}
        onChange={({ target }) => {
          setWanted(target.value);
          setError(undefined);
        }}
      />
      {fitting.length > 0 && (
        <ul className="grid gap-1">
          {fitting.map(({ ramal = '', name }) => (
            <li key={ramal}>
              <Button size="small" className="w-full justify-start" onClick={() => transfer(ramal)}>
                <span className="tabular-nums">{ramal}</span>
                <span className="truncate text-soft">{name}</span>
              </Button>
            </li>
          ))}
        </ul>
      )}
      <Button type="submit" disabled={wanted.trim() === ''}>
        {m.phone_transfer()}
      </Button>
    </form>
  );
}
