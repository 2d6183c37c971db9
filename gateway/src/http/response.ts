import type { Readable } from 'node:stream';

/** Names and values in turn: the form that node:http writes without building anything in between. */
export type HeaderList = readonly string[];

/** A body that is not held in memory. */
export interface Content {
  length: number;
  /** Called once, and not at all for HEAD. */
  read(): Readable;
  /** Called when it will not be read. */
  discard(): void;
}

export interface Answer {
  status: number;
  /** JSON unless contentType says otherwise; none at all for 204. */
  body?: string | Buffer;
  /** Instead of a body; contentType is then required. */
  content?: Content;
  contentType?: string;
  headers?: Readonly<Record<string, string>>;
  /** Instead of the headers that every answer of the API has. */
  base?: HeaderList;
}
