/** Words for what commander finds wrong, by its code: from the part in quotes and the whole sentence. */
export type UsageWords = Readonly<Record<string, (part: string, message: string) => string>>;

/** Words for refusals of the API, by their code. */
export type Refusals = Readonly<Record<string, { message: string; advice?: string }>>;

/** How the lines of a file with rates compare with the deck. */
export interface ImportCounts {
  lines: number;
  added: number;
  changed: number;
  unchanged: number;
  absent: number;
}
