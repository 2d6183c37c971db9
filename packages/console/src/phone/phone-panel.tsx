import { Settings2 } from 'lucide-react';
import { useState } from 'react';
import { Button } from '../components/ui/button';
import { m } from '../paraglide/messages';
import { CallPanel } from './call-panel';
import { DialPad } from './dial-pad';
import { EndedPanel } from './ended-panel';
import { LinePanel } from './line-panel';
import { MissedCalls } from './missed-calls';
import { RingingPanel } from './ringing-panel';
import { PhoneSettings } from './phone-settings';
import type { PhoneView } from './phone-view';

/** The inside of the open phone: what can be done at this moment. */
export function PhonePanel({ phone, snapshot }: PhoneView) {
  const [settings, setSettings] = useState(false);
  const { call, lastEnded, line } = snapshot;
  const canDial = call === undefined && (line.state === 'registered' || line.state === 'reconnecting');
  return (
    <div className="grid gap-4">
      <div className="flex items-center justify-between gap-2">
        <h2 className="font-semibold">{m.phone_title()}</h2>
        <Button
          look="quiet"
          size="icon-small"
          aria-label={m.phone_settings()}
          aria-pressed={settings}
          onClick={() => setSettings(!settings)}
        >
          <Settings2 />
        </Button>
      </div>
      {settings && <PhoneSettings phone={phone} snapshot={snapshot} />}
      <LinePanel phone={phone} snapshot={snapshot} />
      {call?.phase === 'ringing' && <RingingPanel phone={phone} call={call} />}
      {call !== undefined && call.phase !== 'ringing' && <CallPanel phone={phone} call={call} />}
      {snapshot.missed.length > 0 && <MissedCalls phone={phone} missed={snapshot.missed} />}
      {lastEnded !== undefined && call === undefined && <EndedPanel phone={phone} ended={lastEnded} />}
      {canDial && !settings && <DialPad phone={phone} snapshot={snapshot} />}
    </div>
  );
}
