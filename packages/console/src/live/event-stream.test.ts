import { openEventStream } from './event-stream';

test('a stream is asked for in the name of its user, also where it goes on', () => {
  const asked: string[] = [];
  class FakeSource {
    static CLOSED = 2;
    constructor(url: string) {
      asked.push(url);
    }
    addEventListener(): void {}
    close(): void {}
  }
  const real = globalThis.EventSource;
  globalThis.EventSource = FakeSource as unknown as typeof EventSource;
  const ignore = () => undefined;
  const told = { onEvent: ignore, onReset: ignore, onConnected: ignore, onInterrupted: ignore };
  try {
    for (const lastEventId of ['', 'a-1']) {
      openEventStream({ user: 'u-1', types: [], lastEventId, isLate: false, ...told })();
    }
  } finally {
    globalThis.EventSource = real;
  }
  expect(asked).toEqual(['/api/v1/events?user=u-1', '/api/v1/events?user=u-1&lastEventId=a-1']);
});
