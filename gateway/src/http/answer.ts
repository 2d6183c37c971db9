export interface Answer {
  status: number;
  /** JSON unless contentType says otherwise; none at all for 204. */
  body?: string;
  contentType?: string;
  headers?: Readonly<Record<string, string>>;
}
