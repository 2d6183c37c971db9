import type { Readable } from 'node:stream';
import type { AudioFormat } from '../domain/recording-url';
import type { RecordedAudio } from '../switch/port';

/** Where the audio of calls is kept: as WAV, and beside it as MP3 once its account or a listener wants that. A name is the id of a call. */
export interface RecordingStore {
  /** Takes it in as it comes, however long it is. Once it resolves the audio is there, whole; when it rejects, nothing is. */
  put(
    name: string,
    audio: Pick<RecordedAudio, 'content' | 'contentType'>,
    format?: AudioFormat,
  ): Promise<{ size: number }>;
  /** The WAV. */
  read(name: string): Promise<Readable>;
  /** Where the gateway finds it: the path of a file, or a URL that is good for a while. */
  locationOf(name: string, format?: AudioFormat): string;
  /** In every format. */
  remove(name: string): Promise<void>;
  close(): Promise<void>;
}
