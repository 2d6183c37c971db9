/** Where the audio of calls is kept. A name is the id of a call. */
export interface RecordingStore {
  put(name: string, content: Buffer): Promise<void>;
  /** Where whoever serves it finds it. */
  locationOf(name: string): string;
  remove(name: string): Promise<void>;
}
