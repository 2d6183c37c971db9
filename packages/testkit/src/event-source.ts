import { randomInt } from 'node:crypto';
import { request } from 'undici';

export interface HeardEvent {
  id: string;
  event: string;
  data: Record<string, unknown>;
}

export interface EventSourceOptions {
  token: string;
  /** With the question mark. */
  query?: string;
  lastEventId?: string;
}

/** A client of GET /events that reads as EventSource does. */
export interface TestEventSource {
  status: number;
  headers: Record<string, string | string[] | undefined>;
  heard: HeardEvent[];
  /** The id to resume from, which also lines without an event may set. */
  readonly lastEventId: string;
  readonly retryMs: number | undefined;
  /** Resolves when the connection has ended, whoever ended it. */
  ended: Promise<void>;
  close(): void;
}

export async function openEvents(gatewayUrl: string, options: EventSourceOptions): Promise<TestEventSource> {
  const { statusCode, headers, body } = await request(`${gatewayUrl}/api/v1/events${options.query ?? ''}`, {
    headers: {
      authorization: options.token,
      'x-forwarded-for': `10.${randomInt(256)}.${randomInt(256)}.${randomInt(1, 255)}`,
      ...(options.lastEventId === undefined ? {} : { 'last-event-id': options.lastEventId }),
    },
    bodyTimeout: 0,
  });
  const heard: HeardEvent[] = [];
  let lastEventId = '';
  let retryMs: number | undefined;
  let unread = '';

  function hear(block: string): void {
    const lines = block
      .split('\n')
      .map((line) => [line.slice(0, line.indexOf(':')), line.slice(line.indexOf(':') + 2)]);
    const fields = new Map(lines as [string, string][]);
    lastEventId = fields.get('id') ?? lastEventId;
    retryMs = fields.has('retry') ? Number(fields.get('retry')) : retryMs;
    const data = fields.get('data');
    if (data !== undefined) {
      heard.push({ id: lastEventId, event: fields.get('event') ?? '', data: JSON.parse(data) as HeardEvent['data'] });
    }
  }

  body.setEncoding('utf8');
  body.on('data', (chunk: string) => {
    const blocks = (unread + chunk).split('\n\n');
    unread = blocks.pop() ?? '';
    blocks.forEach(hear);
  });
  body.on('error', () => undefined);
  return {
    status: statusCode,
    headers,
    heard,
    get lastEventId() {
      return lastEventId;
    },
    get retryMs() {
      return retryMs;
    },
    ended: new Promise((resolve) => body.once('close', resolve)),
    close: () => void body.destroy(),
  };
}

/** Follows events for as long as the test wants: when a gateway ends the stream or dies, it resumes at the next one. */
export function followEvents(gatewayUrls: readonly string[], options: EventSourceOptions) {
  const sources: TestEventSource[] = [];
  let { lastEventId } = options;
  let closed = false;

  async function run(): Promise<void> {
    for (let turn = 0; !closed; turn += 1) {
      const url = gatewayUrls[turn % gatewayUrls.length]!;
      const source = await openEvents(url, { ...options, lastEventId }).catch(() => undefined);
      if (source?.status === 200) {
        sources.push(source);
        await source.ended;
        lastEventId = source.lastEventId || lastEventId;
      } else {
        source?.close();
        await new Promise((resolve) => setTimeout(resolve, 100));
      }
    }
  }

  void run();
  return {
    heard: (): HeardEvent[] => sources.flatMap(({ heard }) => heard),
    /** How often the stream was opened. */
    opened: (): number => sources.length,
    close(): void {
      closed = true;
      sources.at(-1)?.close();
    },
  };
}
