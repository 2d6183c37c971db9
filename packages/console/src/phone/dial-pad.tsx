import { Delete, Phone as PhoneIcon, RotateCcw } from 'lucide-react';
import { useEffect, useRef, useState } from 'react';
import type { FormEvent } from 'react';
import { Button } from '../components/ui/button';
import { inputStyle } from '../components/ui/field';
import { m } from '../paraglide/messages';
import { useDockState } from './dock-state';
import { Keys } from './keys';
import { formatPhoneNumber } from './phone-number';
import type { PhoneView } from './phone-view';

/** Dials a number or an extension. */
export function DialPad({ phone, snapshot: { line, lastDialled } }: PhoneView) {
  const [number, setNumber] = useState('');
  const input = useRef<HTMLInputElement>(null);
  const { isNumberAsked, noteFocused } = useDockState();
  useEffect(() => {
    if (!isNumberAsked) return;
    // On a touch screen the focus would bring up a keyboard that hides the keys.
    if (matchMedia('(pointer: fine)').matches) input.current?.focus();
    noteFocused();
  }, [isNumberAsked, noteFocused]);
  const isReady = line.state === 'registered';
  const dial = (event: FormEvent) => {
    event.preventDefault();
    if (!isReady || number.trim() === '') return;
    void phone.call(number.trim());
    setNumber('');
  };
  return (
    <form onSubmit={dial} className="grid gap-3">
      <div className="flex gap-2">
        <input
          ref={input}
          type="tel"
          inputMode="tel"
          autoComplete="off"
          aria-label={m.phone_number()}
          placeholder={m.phone_number_hint()}
          value={number}
          onChange={({ target }) => setNumber(target.value)}
          className={inputStyle}
        />
        <Button
          look="quiet"
          size="icon"
          aria-label={m.phone_erase()}
          disabled={number === ''}
          onClick={() => setNumber(number.slice(0, -1))}
        >
          <Delete />
        </Button>
      </div>
      <Keys onPress={(key) => setNumber(number + key)} />
      <Button type="submit" look="good" disabled={!isReady || number.trim() === ''}>
        <PhoneIcon aria-hidden />
        {m.phone_call()}
      </Button>
      {lastDialled !== undefined && (
        <Button look="quiet" disabled={!isReady} onClick={phone.redial}>
          <RotateCcw aria-hidden />
          {m.phone_redial({ number: formatPhoneNumber(lastDialled) })}
        </Button>
      )}
    </form>
  );
}
