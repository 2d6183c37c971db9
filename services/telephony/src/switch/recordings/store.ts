import type { RecordedAudio } from '../port';

/** Where the audio of calls is kept. A name is the id of a call. */
export interface RecordingStore {
  /** Takes it in as it comes, however long it is. Once it resolves the audio is there, whole; when it rejects, nothing is. */
  put(name: string, audio: RecordedAudio): Promise<{ size: number }>;
  /** Where whoever serves it finds it: the path of a file, or a URL that is good for a while. */
  locationOf(name: string): string;
  remove(name: string): Promise<void>;
  close(): Promise<void>;
}
