/** A batch that reaches this size is sent without waiting for more; it stays far below the largest message that gRPC accepts. */
const LARGE_BYTES = 256 * 1024;

/** Collects the items of one turn of the event loop and delivers them together at its end, or as soon as they are large. */
export class Batch<Item> {
  #items: Item[] = [];
  #bytes = 0;
  #scheduled = false;
  readonly #deliver: (items: Item[]) => void;

  constructor(deliver: (items: Item[]) => void) {
    this.#deliver = deliver;
  }

  add(item: Item, bytes: number): void {
    this.#items.push(item);
    this.#bytes += bytes;
    if (this.#bytes >= LARGE_BYTES) {
      this.flush();
    } else if (!this.#scheduled) {
      this.#scheduled = true;
      setImmediate(() => {
        this.#scheduled = false;
        this.flush();
      });
    }
  }

  flush(): void {
    const items = this.take();
    if (items.length > 0) {
      this.#deliver(items);
    }
  }

  /** Removes and returns the items that have not been delivered. */
  take(): Item[] {
    const items = this.#items;
    this.#items = [];
    this.#bytes = 0;
    return items;
  }
}
