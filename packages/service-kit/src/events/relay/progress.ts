export interface Positioned {
  position: number;
}

/** Positions from the first to the last, both included. */
export interface Span {
  from: number;
  to: number;
}

/** What is published: everything up to the position, except what lies in the open spans. */
export interface Mark {
  position: number;
  open: Span[];
}

/** Of the transactions of the whole database at one moment: the oldest that runs, and one that is younger than all of them. */
export interface Transactions {
  oldest: bigint;
  next: bigint;
}

interface OpenSpan extends Span {
  /** Transactions from this one on began after the span was passed by, so no event of theirs lies in it. */
  before?: bigint;
}

/**
 * How far the relay has come. Positions are given out when an event is written, and events show when their transaction commits:
 * one may be published before another that has a lower position. Those that are passed by stay open until their event shows, or
 * until every transaction that could have one there has ended.
 */
export class Progress {
  private last: number;
  private spans: OpenSpan[];

  constructor({ position, open }: Mark) {
    this.last = position;
    this.spans = [...open];
  }

  /** The highest position that was published. */
  get position(): number {
    return this.last;
  }

  get open(): Span[] {
    return this.spans.map(({ from, to }) => ({ from, to }));
  }

  /** Takes note of rows that were published, in order. */
  published(rows: Positioned[]): void {
    for (const { position } of rows) {
      if (position > this.last) {
        this.reopen(this.last + 1, position - 1);
        this.last = position;
      } else {
        this.close(position);
      }
    }
  }

  /** Takes note that nothing is visible in the open spans while these transactions run. */
  foundNothing({ oldest, next }: Transactions): void {
    this.spans = this.spans
      .filter(({ before }) => before === undefined || oldest < before)
      .map((span) => ({ ...span, before: span.before ?? next }));
  }

  /** Takes note of an event that was refused: it is published again before any other. */
  refused({ position }: Positioned): void {
    this.reopen(position, position);
  }

  private reopen(from: number, to: number): void {
    if (from <= to) {
      this.spans.push({ from, to });
    }
  }

  private close(position: number): void {
    this.spans = this.spans.flatMap((span) => {
      if (position < span.from || position > span.to) {
        return [span];
      }
      return [
        { ...span, to: position - 1 },
        { ...span, from: position + 1 },
      ].filter(({ from, to }) => from <= to);
    });
  }
}
