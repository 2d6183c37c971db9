import { ArrowRightLeft, Grid3x3, Mic, MicOff, Pause, Play } from 'lucide-react';
import { useState } from 'react';
import type { ReactNode } from 'react';
import { cn } from '../components/class-names';
import { m } from '../paraglide/messages';
import type { Phone } from './engine/phone';
import type { PhoneCall } from './engine/snapshot';
import { LevelBar } from './level-bar';
import { Keys } from './keys';
import { Party } from './party';
import { Quality } from './quality';
import { TransferForm } from './transfer-form';

/** A call that is being placed, or in which people talk. */
export function CallPanel({ phone, call }: { phone: Phone; call: PhoneCall }) {
  const [shown, setShown] = useState<'keys' | 'transfer'>();
  const talks = call.phase === 'talking';
  const toggle = (what: 'keys' | 'transfer') => setShown(shown === what ? undefined : what);
  return (
    <div className="grid gap-4">
      <Party call={call} />
      {talks && <LevelBar phone={phone} muted={call.muted || call.held} />}
      {talks && call.quality !== undefined && <Quality report={call.quality} />}
      <div className="grid grid-cols-4 gap-2">
        <Control
          name={call.muted ? m.phone_unmute() : m.phone_mute()}
          isOn={call.muted}
          onClick={() => phone.setMuted(!call.muted)}
        >
          {call.muted ? <MicOff /> : <Mic />}
        </Control>
        <Control
          name={call.held ? m.phone_resume() : m.phone_hold()}
          isOn={call.held}
          disabled={!talks}
          onClick={() => phone.setHeld(!call.held)}
        >
          {call.held ? <Play /> : <Pause />}
        </Control>
        <Control name={m.phone_keys()} isOn={shown === 'keys'} onClick={() => toggle('keys')}>
          <Grid3x3 />
        </Control>
        <Control
          name={m.phone_transfer()}
          isOn={shown === 'transfer'}
          disabled={!talks || call.id === undefined}
          onClick={() => toggle('transfer')}
        >
          <ArrowRightLeft />
        </Control>
      </div>
      {shown === 'keys' && <Keys onPress={phone.sendTone} />}
      {shown === 'transfer' && <TransferForm phone={phone} onDone={() => setShown(undefined)} />}
    </div>
  );
}

interface ControlProps {
  name: string;
  isOn: boolean;
  disabled?: boolean;
  onClick: () => void;
  children: ReactNode;
}

function Control({ name, isOn, disabled, onClick, children }: ControlProps) {
  return (
    <button
      type="button"
      aria-pressed={isOn}
      disabled={disabled}
      onClick={onClick}
      className={cn(
        'grid min-w-0 justify-items-center gap-1 rounded-lg border px-1 py-2 text-xs hover:bg-sunken disabled:opacity-50 [&_svg]:size-4.5',
        isOn && 'border-accent bg-accent-wash text-accent',
      )}
    >
      {children}
      <span className="max-w-full break-words">{name}</span>
    </button>
  );
}
