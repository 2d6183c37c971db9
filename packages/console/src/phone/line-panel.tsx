import { useState } from 'react';
import type { ReactNode } from 'react';
import { Button } from '../components/ui/button';
import { toastError } from '../components/ui/toast';
import { m } from '../paraglide/messages';
import type { PhoneView } from './phone-view';
import { microphoneInWords, troubleInWords } from './words';

/** What keeps the phone from working, and what to do about it. */
export function LinePanel({ phone, snapshot: { line, microphone } }: PhoneView) {
  const [creating, setCreating] = useState(false);
  const trouble = troubleInWords(line);
  const microphoneTrouble = microphoneInWords(microphone);

  const create = () => {
    setCreating(true);
    phone
      .createExtension()
      .catch(toastError)
      .finally(() => setCreating(false));
  };
  return (
    <>
      {line.state === 'no-extension' && (
        <Notice text={m.phone_no_extension()}>
          <Button look="primary" disabled={creating} onClick={create}>
            {m.phone_create_extension()}
          </Button>
        </Notice>
      )}
      {line.state === 'elsewhere' && (
        <Notice text={m.phone_elsewhere()}>
          <Button look="primary" onClick={phone.takeOver}>
            {m.phone_take_over()}
          </Button>
        </Notice>
      )}
      {trouble !== undefined && (
        <Notice text={trouble} isBad>
          <Button size="small" onClick={phone.retry}>
            {line.state === 'refused' && line.why === 'displaced' ? m.phone_take_over() : m.phone_try_now()}
          </Button>
        </Notice>
      )}
      {microphoneTrouble !== undefined && (
        <Notice text={microphoneTrouble} isBad={microphone !== 'asking'}>
          {microphone !== 'asking' && microphone !== 'insecure-page' && (
            <Button size="small" onClick={() => void phone.testMicrophone().then(phone.endMicrophoneTest)}>
              {m.phone_try_now()}
            </Button>
          )}
        </Notice>
      )}
    </>
  );
}

function Notice({ text, isBad = false, children }: { text: string; isBad?: boolean; children?: ReactNode }) {
  return (
    <div
      className={
        isBad ? 'grid gap-3 rounded-lg bg-bad-wash p-3 text-sm' : 'grid gap-3 rounded-lg bg-sunken p-3 text-sm'
      }
    >
      <p>{text}</p>
      {children && <div>{children}</div>}
    </div>
  );
}
