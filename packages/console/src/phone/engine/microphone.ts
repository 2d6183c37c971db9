import type { MicrophoneState } from './snapshot';

export class MicrophoneError extends Error {
  constructor(readonly state: MicrophoneState) {
    super(`no microphone: ${state}`);
  }
}

/** Opens the chosen microphone; if that one is gone, whichever there is. */
export async function openMicrophone(deviceId: string): Promise<MediaStream> {
  // Browsers hide the devices from pages that did not come over HTTPS, unless they came from this machine.
  if (!navigator.mediaDevices) throw new MicrophoneError('insecure-page');
  const audio = { echoCancellation: true, noiseSuppression: true, autoGainControl: true };
  const chosen = deviceId === '' ? audio : { ...audio, deviceId: { exact: deviceId } };
  try {
    return await navigator.mediaDevices.getUserMedia({ audio: chosen });
  } catch (error) {
    const state = stateOfError(error);
    if (state === 'missing' && deviceId !== '') return openMicrophone('');
    throw new MicrophoneError(state);
  }
}

/** What getUserMedia's errors mean to the user; their names are those of the standard. */
export function stateOfError(error: unknown): MicrophoneState {
  switch (error instanceof Error || error instanceof DOMException ? error.name : '') {
    case 'NotAllowedError':
      return 'denied';
    case 'NotFoundError':
    case 'OverconstrainedError':
      return 'missing';
    case 'NotReadableError':
    case 'AbortError':
      return 'in-use';
    case 'SecurityError':
      return 'insecure-page';
    default:
      return 'failed';
  }
}

export const closeStream = (stream: MediaStream | undefined): void =>
  stream?.getTracks().forEach((track) => track.stop());
