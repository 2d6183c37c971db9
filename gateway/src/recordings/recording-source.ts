import type { Readable } from 'node:stream';

/** The stored audio of one call. */
export interface RecordingFile {
  size: number;
  /**
   * Opens the bytes from start to end, both included. Undefined: the recording has been deleted meanwhile. The signal
   * says that the client has gone.
   */
  open(start: number, end: number, signal: AbortSignal): Promise<Readable | undefined>;
  /** Called instead of open(). */
  close(): Promise<void>;
}

export interface RecordingSource {
  /** Undefined: the recording has been deleted. */
  find(location: string, size: number): Promise<RecordingFile | undefined>;
  close(): Promise<void>;
}
