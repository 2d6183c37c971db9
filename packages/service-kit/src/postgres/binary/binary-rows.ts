import { Client, Query } from 'pg';
import type { ClientBase, ClientConfig, QueryConfig, Submittable } from 'pg';
import { Parser } from 'pg-protocol/dist/parser';

/** The values of one row as PostgreSQL sends them in its binary form, to be read in order. Good until the next row. */
export class BinaryRow {
  bytes: Buffer = Buffer.alloc(0);
  /** Offset of the current value. */
  position = 0;
  /** Its length; -1 is null. */
  length = 0;

  open(bytes: Buffer, position: number): void {
    this.bytes = bytes;
    // The first two bytes tell the number of columns.
    this.position = position + 2;
    this.length = 0;
  }

  /** Steps to the next column; returns whether it has a value. */
  next(): boolean {
    const { bytes } = this;
    const at = this.position + Math.max(0, this.length);
    this.length = (bytes[at]! << 24) | (bytes[at + 1]! << 16) | (bytes[at + 2]! << 8) | bytes[at + 3]!;
    this.position = at + 4;
    return this.length >= 0;
  }
}

export type OnRow = (row: BinaryRow) => void;

/** Members of pg's connection that its types do not declare. */
interface Connection {
  attachListeners(stream: NodeJS.ReadableStream): void;
  describe(portal: object): void;
  emit(name: string, message: unknown): boolean;
  /** Receiver of the raw rows of the running statement. */
  takesBytes?: boolean;
}

interface RowMessage {
  name: 'dataRow';
  bytes: Buffer;
  offset: number;
}

const DATA_ROW = 0x44;

type HandlePacket = (offset: number, code: number, length: number, bytes: Buffer) => object;
const { handlePacket } = Parser.prototype as unknown as { handlePacket: HandlePacket };

/**
 * A client of pg for whose binary queries no string and no object is made of a row. pg itself makes a string of every value, and
 * knows no binary ones; what is replaced is how it takes the messages of the server apart, and what it asks for.
 */
export class BinaryClient extends Client {
  constructor(config?: ClientConfig) {
    super(config);
    const { connection } = this as unknown as { connection: Connection };
    const row: RowMessage = { name: 'dataRow', bytes: Buffer.alloc(0), offset: 0 };
    const describe = connection.describe.bind(connection);
    connection.describe = (portal) => {
      // A reader of raw rows knows the columns; describing them costs the server a tenth of the time of a page of fifty rows.
      if (connection.takesBytes !== true) {
        describe(portal);
      }
    };
    connection.attachListeners = (stream) => {
      const parser = new Parser();
      const take: HandlePacket = (offset, code, length, bytes) => {
        if (code !== DATA_ROW || connection.takesBytes !== true) {
          return handlePacket.call(parser, offset, code, length, bytes);
        }
        row.bytes = bytes;
        row.offset = offset;
        return row;
      };
      Object.assign(parser, { handlePacket: take });
      stream.on('data', (bytes: Buffer) =>
        parser.parse(bytes, (message) => {
          connection.emit(message.name === 'error' ? 'errorMessage' : message.name, message);
        }),
      );
    };
  }
}

/** Runs a statement on a BinaryClient. */
export function queryBinary(client: ClientBase, config: QueryConfig, onRow: OnRow): Promise<void> {
  return new Promise((resolve, reject) => {
    const query = new BinaryQuery(config, onRow, (error) => (error ? reject(error) : resolve()));
    client.query(query as unknown as Submittable);
  });
}

type Done = (error: Error | null) => void;

/** pg's own query, with what its types leave out. */
const PlainQuery = Query as unknown as new (
  config: QueryConfig,
  values: undefined,
  done: Done,
) => {
  binary: boolean;
  submit(connection: Connection): Error | null;
  handleDataRow(message: unknown): void;
  handleError(error: Error, connection: Connection): void;
  handleReadyForQuery(connection: Connection): void;
};

class BinaryQuery extends PlainQuery {
  readonly #row = new BinaryRow();
  readonly #onRow: OnRow;
  #failure: Error | undefined;

  constructor(config: QueryConfig, onRow: OnRow, done: Done) {
    super(config, undefined, done);
    this.binary = true;
    this.#onRow = onRow;
  }

  override submit(connection: Connection): Error | null {
    connection.takesBytes = true;
    return super.submit(connection);
  }

  override handleDataRow({ bytes, offset }: RowMessage): void {
    if (this.#failure !== undefined) {
      return;
    }
    try {
      this.#row.open(bytes, offset);
      this.#onRow(this.#row);
    } catch (error) {
      this.#failure = error as Error;
    }
  }

  override handleError(error: Error, connection: Connection): void {
    connection.takesBytes = false;
    super.handleError(error, connection);
  }

  override handleReadyForQuery(connection: Connection): void {
    if (this.#failure === undefined) {
      connection.takesBytes = false;
      super.handleReadyForQuery(connection);
    } else {
      this.handleError(this.#failure, connection);
    }
  }
}
