import type { IncomingHttpHeaders } from 'node:http';
import type { Dispatcher } from 'undici';

const shownBytes = 1024;
/** Read to the end up to this size, so that the connection can be used again; beyond it the connection is cut. */
const drainedBytes = 64 * 1024;
/** The status decides; the body is only shown in the list of deliveries, so it is not waited for long. */
const bodyLimitMs = 1_000;

export interface ReceiverResponse {
  status: number;
  latencyMs: number;
  /** The first KiB. */
  text: string;
  retryAfter: string | undefined;
}

/** How a request ended; `late` when there was no response in time. */
export type Ending =
  { response: ReceiverResponse } | { error: unknown; latencyMs: number } | { late: true; latencyMs: number };

/** One POST to a receiver. Implements undici's handler, because its promises and streams cost a third of the whole request. */
export class WebhookRequest implements Dispatcher.DispatchHandler {
  private readonly startedAt = performance.now();
  private controller: Dispatcher.DispatchController | undefined;
  private respondedAt = 0;
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
    // Informational responses such as early hints come before the actual one.
    if (status >= 200) {
      this.status = status;
      this.respondedAt = performance.now();
      const retryAfter = headers['retry-after'];
      this.retryAfter = Array.isArray(retryAfter) ? (retryAfter as string[])[0] : retryAfter;
    }
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    if (this.size < shownBytes) {
      // A copy, because the parser reuses its memory.
      (this.chunks ??= []).push(Buffer.from(chunk.subarray(0, shownBytes - this.size)));
    }
    this.size += chunk.length;
    if (this.size > drainedBytes) {
      this.respond();
      controller.abort(new Error('enough'));
    }
  }

  onResponseEnd(): void {
    this.respond();
  }

  /** A response that breaks off still counts: its status has arrived. */
  onResponseError(_controller: Dispatcher.DispatchController, error: Error): void {
    if (this.status !== 0) {
      this.respond();
    } else {
      this.end({ error, latencyMs: this.latency(performance.now()) });
    }
  }

  /** Ends the request when its time is over; called every few milliseconds. */
  checkTime(now: number, limitMs: number): void {
    if (this.status !== 0 && now - this.respondedAt > bodyLimitMs) {
      this.respond();
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

  private respond(): void {
    const { status, retryAfter } = this;
    // PostgreSQL accepts no NUL.
    const text = this.chunks === undefined ? '' : Buffer.concat(this.chunks).toString().replaceAll('\0', '\ufffd');
    this.end({ response: { status, latencyMs: this.latency(this.respondedAt), text, retryAfter } });
  }

  private end(ending: Ending): void {
    if (!this.over) {
      this.over = true;
      this.done(ending);
    }
  }
}
