import type { AudioFormat } from '../domain/recording-url';
import { isUuid } from '../storage/calls';

/** Few files per folder: by the end of the id, which is random. */
export function audioName(callId: string, format: AudioFormat): string {
  if (!isUuid(callId)) {
    throw new TypeError('a recording is named by the id of its call');
  }
  const id = callId.toLowerCase();
  return `${id.slice(-2)}/${id}.${format}`;
}
