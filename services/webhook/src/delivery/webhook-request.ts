import type { IncomingHttpHeaders } from 'node:http';
import type { Dispatcher } from 'undici';

const shownBytes = 1024;
/** Read to the end up to this size, so that the connection can be used again; beyond it the connection is cut. */
const drainedBytes = 64 * 1024;
/** The status has come and decides; the body is a courtesy to whoever reads the log. */
const bodyLimitMs = 1_000;

export interface Answer {
  status: number;
  latencyMs: number;
  /** The first KiB. */
  text: string;
  retryAfter: string | undefined;
}

/** What came of it; `late` when nothing came in time. */
export type Ending = { answer: Answer } | { error: unknown; latencyMs: number } | { late: true; latencyMs: number };

/** One POST. Written against undici's handler: its promises and streams cost a third of the whole exchange. */
export class Exchange implements Dispatcher.DispatchHandler {
  private readonly startedAt = performance.now();
  private controller: Dispatcher.DispatchController | undefined;
  private answeredAt = 0;
  private status = 0;
  private retryAfter: string | undefined;
  private chunks: Buffer[] | undefined;
  private size = 0;
  private over = false;

  constructor(private readonly done: (ending: Ending) => void) {}

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.controller = controller;
    if (this.over) {
      controller.abort(new Error('too late'));
    }
  }

  onResponseStart(_controller: Dispatcher.DispatchController, status: number, headers: IncomingHttpHeaders): void {
    // Early hints and the like are no answer.
    if (status >= 200) {
      this.status = status;
      this.answeredAt = performance.now();
      const retryAfter = headers['retry-after'];
      this.retryAfter = Array.isArray(retryAfter) ? (retryAfter as string[])[0] : retryAfter;
    }
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    if (this.size < shownBytes) {
      // A copy, because the parser uses its memory again.
      (this.chunks ??= []).push(Buffer.from(chunk.subarray(0, shownBytes - this.size)));
    }
    this.size += chunk.length;
    if (this.size > drainedBytes) {
      this.answer();
      controller.abort(new Error('enough'));
    }
  }

  onResponseEnd(): void {
    this.answer();
  }

  /** An answer that breaks off has still been an answer. */
  onResponseError(_controller: Dispatcher.DispatchController, error: Error): void {
    if (this.status !== 0) {
      this.answer();
    } else {
      this.end({ error, latencyMs: this.latency(performance.now()) });
    }
  }

  /** Called now and then. */
  checkTime(now: number, limitMs: number): void {
    if (this.status !== 0 && now - this.answeredAt > bodyLimitMs) {
      this.answer();
      this.cut();
    } else if (this.status === 0 && now - this.startedAt > limitMs) {
      this.end({ late: true, latencyMs: this.latency(now) });
      this.cut();
    }
  }

  fail(error: unknown): void {
    this.end({ error, latencyMs: this.latency(performance.now()) });
    this.cut();
  }

  private cut(): void {
    this.controller?.abort(new Error('too late'));
  }

  private latency(until: number): number {
    return Math.round(until - this.startedAt);
  }

  private answer(): void {
    const { status, retryAfter } = this;
    // PostgreSQL takes no NUL.
    const text = this.chunks === undefined ? '' : Buffer.concat(this.chunks).toString().replaceAll('\0', '\ufffd');
    this.end({ answer: { status, latencyMs: this.latency(this.answeredAt), text, retryAfter } });
  }

  private end(ending: Ending): void {
    if (!this.over) {
      this.over = true;
      this.done(ending);
    }
  }
}
