/** Events between the stream and the receiver: read ahead, so that their calls can be looked up together, but not without bounds. */
export class EventQueue<T> {
  private readonly items: T[] = [];
  private closed = false;
  private wake: () => void = () => undefined;

  constructor(private readonly most: number) {}

  /** Resolves when there is room for more. */
  async add(item: T): Promise<void> {
    this.items.push(item);
    this.changed();
    while (this.items.length >= this.most && !this.closed) await this.change();
  }

  /** Everything that is there, at most so many; undefined at the end. */
  async take(count: number): Promise<T[] | undefined> {
    while (this.items.length === 0) {
      if (this.closed) return undefined;
      await this.change();
    }
    const taken = this.items.splice(0, count);
    this.changed();
    return taken;
  }

  close(): void {
    this.closed = true;
    this.changed();
  }

  private change(): Promise<void> {
    return new Promise((resolve) => {
      const before = this.wake;
      this.wake = () => {
        before();
        resolve();
      };
    });
  }

  private changed(): void {
    const wake = this.wake;
    this.wake = () => undefined;
    wake();
  }
}
