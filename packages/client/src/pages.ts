import type { Filter, PageMeta } from './generated/types.gen';

export interface Page<T> {
  data: T[];
  meta: PageMeta;
}

export interface ListOptions {
  /** Conditions, order and size of a page (`limit`). */
  filter?: Filter;
  signal?: AbortSignal;
}

/** As large as saves requests, and small enough to begin soon. */
const PAGE_SIZE = 200;

/** A list that is fetched page by page while it is walked through: `for await (const call of sabia.calls.list())`. */
export class Pages<T extends { id: unknown }> implements AsyncIterable<T> {
  constructor(private readonly fetchPage: (page: number) => Promise<Page<T>>) {}

  /** One page; the first is 1. */
  page(number: number): Promise<Page<T>> {
    return this.fetchPage(number);
  }

  /** The first items, at most so many. */
  async take(count: number): Promise<T[]> {
    const taken: T[] = [];
    if (count > 0) {
      for await (const item of this) {
        if (taken.push(item) >= count) break;
      }
    }
    return taken;
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<T, void, undefined> {
    let before = new Set<unknown>();
    for (let number: number | null | undefined = 1; number;) {
      const { data, meta }: Page<T> = await this.fetchPage(number);
      // What is new at the beginning of the list moves the end of the last page onto this one.
      yield* data.filter(({ id }) => !before.has(id));
      before = new Set(data.map(({ id }) => id));
      number = meta.nextPage;
    }
  }
}

/** The filter as the query takes it. */
export function filterText(filter: Filter | undefined): string | undefined {
  return filter === undefined ? undefined : JSON.stringify(filter);
}

/** The filter of a list that is fetched page by page. */
export const pagedFilterText = (filter: Filter = {}): string => JSON.stringify({ limit: PAGE_SIZE, ...filter });
