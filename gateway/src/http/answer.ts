/** Names and values in turn: the form that node:http writes without building anything in between. */
export type HeaderList = readonly string[];

export interface Answer {
  status: number;
  /** JSON unless contentType says otherwise; none at all for 204. */
  body?: string;
  contentType?: string;
  headers?: Readonly<Record<string, string>>;
  /** Instead of the headers that every answer of the API has. */
  base?: HeaderList;
}
