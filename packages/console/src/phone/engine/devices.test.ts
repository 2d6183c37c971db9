import { sortDevices } from './devices';
import { levelOf } from './level-meter';

test('devices by kind, without the double names of the default', () => {
  const device = (kind: MediaDeviceKind, deviceId: string, label: string) => ({ kind, deviceId, label });
  expect(
    sortDevices([
      device('audioinput', 'default', 'Default - Headset'),
      device('audioinput', 'a', 'Headset'),
      device('audiooutput', 'b', 'Headset'),
      device('videoinput', 'c', 'Camera'),
      // Before the permission.
      device('audioinput', '', ''),
    ]),
  ).toEqual({ microphones: [{ id: 'a', label: 'Headset' }], speakers: [{ id: 'b', label: 'Headset' }] });
});

test('the level of silence, of a voice and of a shout', () => {
  expect(levelOf([0, 0, 0])).toBe(0);
  expect(levelOf([0.05, -0.05, 0.05])).toBeCloseTo(0.68, 2);
  expect(levelOf([1, -1])).toBe(1);
});
