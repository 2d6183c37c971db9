import type { AudioFormat } from '../domain/recording-url';
import { isUuid } from '../storage/calls';

/** The folder is named by the end of the id, which is random, so that each has few files. */
export function audioName(callId: string, format: AudioFormat): string {
  if (!isUuid(callId)) {
    throw new TypeError('a recording must be named by the id of its call');
  }
  const id = callId.toLowerCase();
  return `${id.slice(-2)}/${id}.${format}`;
}
