/** Beyond this a batch does not wait for more; below it, it stays far from what gRPC takes as one message. */
const LARGE_BYTES = 256 * 1024;

/** Gathers what comes up in one turn of the event loop, and hands it over at its end, or as soon as it is large. */
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

  /** What has not been handed over, and now never will be. */
  take(): Item[] {
    const items = this.#items;
    this.#items = [];
    this.#bytes = 0;
    return items;
  }
}
