import type { Readable } from 'node:stream';
import type { AudioFormat } from '../domain/recording-url';
import type { RecordedAudio } from '../switch/port';

/** Keeps the audio of calls: as WAV, and also as MP3 once its account or a listener asks for it. A name is the id of a call. */
export interface RecordingStore {
  /** Stores a stream of any length. The audio is stored completely when this resolves, and not at all when it rejects. */
  put(
    name: string,
    audio: Pick<RecordedAudio, 'content' | 'contentType'>,
    format?: AudioFormat,
  ): Promise<{ size: number }>;
  /** Reads the WAV. */
  read(name: string): Promise<Readable>;
  /** Where the gateway finds the audio: the path of a file, or a URL that is valid for a while. */
  locationOf(name: string, format?: AudioFormat): string;
  /** Removes the audio in every format. */
  remove(name: string): Promise<void>;
  close(): Promise<void>;
}
