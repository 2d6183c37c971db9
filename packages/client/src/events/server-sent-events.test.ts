import fc from 'fast-check';
import { readServerSentEvents } from './server-sent-events';

const bytes = new TextEncoder().encode(
  'retry: 2000\n\nid: a-1\n\n:\nid: a-2\n\nid: a-3\nevent: call.ended\ndata: {"from":"João"}\n\nid: a-4\ndata: cut off',
);

/** A body that comes in pieces which end at these places. */
function bodyOf(ends: readonly number[]): ReadableStream<Uint8Array> {
  const places = [0, ...[...ends].sort((a, b) => a - b), bytes.length];
  return new ReadableStream({
    start(controller) {
      places.slice(1).forEach((end, index) => controller.enqueue(bytes.slice(places[index], end)));
      controller.close();
    },
  });
}

it('reads the same messages wherever the network cuts them', async () => {
  const cuts = fc.array(fc.integer({ min: 0, max: bytes.length }), { maxLength: 20 });
  await fc.assert(
    fc.asyncProperty(cuts, async (ends) => {
      const messages = [];
      for await (const message of readServerSentEvents(bodyOf(ends))) messages.push(message);
      expect(messages).toEqual([
        { retryMs: 2000 },
        { id: 'a-1' },
        { id: 'a-2' },
        { id: 'a-3', event: 'call.ended', data: '{"from":"João"}' },
      ]);
    }),
  );
});
