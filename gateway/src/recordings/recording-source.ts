import type { Readable } from 'node:stream';

/** The audio of one call, where it is kept. */
export interface RecordingFile {
  size: number;
  /** From and to, both included. Undefined: it has been deleted meanwhile. */
  open(start: number, end: number): Promise<Readable | undefined>;
  /** When it will not be opened. */
  close(): Promise<void>;
}

export interface RecordingSource {
  /** Undefined: it has been deleted. */
  find(location: string, size: number): Promise<RecordingFile | undefined>;
  close(): Promise<void>;
}
