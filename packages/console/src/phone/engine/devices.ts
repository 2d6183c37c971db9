import type { AudioDevice, Devices } from './snapshot';

/** The devices of a list by kind. Before the permission they have no labels, and are left out. */
export function sortDevices(
  list: Pick<MediaDeviceInfo, 'kind' | 'deviceId' | 'label'>[],
): Pick<Devices, 'microphones' | 'speakers'> {
  const named = (kind: string): AudioDevice[] =>
    list
      .filter((device) => device.kind === kind && device.label !== '' && device.deviceId !== '')
      // Chromium lists the system's choice once more under these names.
      .filter(({ deviceId }) => deviceId !== 'default' && deviceId !== 'communications')
      .map(({ deviceId, label }) => ({ id: deviceId, label }));
  return { microphones: named('audioinput'), speakers: named('audiooutput') };
}

export async function listDevices(): Promise<Pick<Devices, 'microphones' | 'speakers'>> {
  if (!navigator.mediaDevices) return { microphones: [], speakers: [] };
  return sortDevices(await navigator.mediaDevices.enumerateDevices());
}

/** Returns a function that stops watching. */
export function watchDevices(onChange: () => void): () => void {
  navigator.mediaDevices?.addEventListener('devicechange', onChange);
  return () => navigator.mediaDevices?.removeEventListener('devicechange', onChange);
}

export const canChooseSpeaker = (): boolean => 'setSinkId' in HTMLMediaElement.prototype;
