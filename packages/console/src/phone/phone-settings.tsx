import { useEffect, useState } from 'react';
import { Button } from '../components/ui/button';
import { SelectField } from '../components/ui/field';
import { m } from '../paraglide/messages';
import type { AudioDevice } from './engine/snapshot';
import { LevelBar } from './level-bar';
import type { PhoneView } from './phone-view';

/** Microphone, speaker, and how the phone behaves. The microphone is open while the settings are, to show that it works. */
export function PhoneSettings({ phone, snapshot: { devices, microphone, answersClickToCall } }: PhoneView) {
  useEffect(() => {
    void phone.testMicrophone();
    return () => phone.endMicrophoneTest();
  }, [phone]);
  return (
    <div className="grid gap-4 rounded-lg border p-3">
      <SelectField
        label={m.phone_microphone()}
        choices={choicesOf(devices.microphones)}
        value={devices.microphoneId}
        onChange={({ target }) => phone.chooseMicrophone(target.value)}
      />
      {microphone === 'ready' && <LevelBar phone={phone} />}
      {devices.canChooseSpeaker && (
        <SelectField
          label={m.phone_speaker()}
          choices={choicesOf(devices.speakers)}
          value={devices.speakerId}
          onChange={({ target }) => phone.chooseSpeaker(target.value)}
        />
      )}
      <label className="flex items-start gap-3 text-sm">
        <input
          type="checkbox"
          className="mt-1 size-4 accent-accent"
          checked={answersClickToCall}
          onChange={({ target }) => phone.setAnswersClickToCall(target.checked)}
        />
        <span>{m.phone_answers_click_to_call()}</span>
      </label>
      <NotificationSetting />
    </div>
  );
}

const choicesOf = (devices: AudioDevice[]) => [
  { value: '', label: m.phone_device_default() },
  ...devices.map(({ id, label }) => ({ value: id, label })),
];

/** Browsers ask only in response to a click. */
function NotificationSetting() {
  const [permission, setPermission] = useState(() => ('Notification' in window ? Notification.permission : 'denied'));
  if (permission === 'granted') return <p className="text-sm text-soft">{m.phone_notifications_on()}</p>;
  if (permission === 'denied') return <p className="text-sm text-soft">{m.phone_notifications_denied()}</p>;
  return (
    <Button size="small" onClick={() => void Notification.requestPermission().then(setPermission)}>
      {m.phone_notifications_ask()}
    </Button>
  );
}
