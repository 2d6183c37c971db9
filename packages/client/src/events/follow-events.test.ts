import { followEvents } from './follow-events';

it('ends with the signal while it waits, also if fetch does not pass the signal on to the body', async () => {
  const controller = new AbortController();
  let isCancelled = false;
  // Node's fetch follows a signal by weak references, which may be gone once the response has come.
  const body = new ReadableStream<Uint8Array>({
    cancel() {
      isCancelled = true;
    },
  });
  const send = () => Promise.resolve(new Response(body));
  const options = { signal: controller.signal, onOpen: () => setImmediate(() => controller.abort()) };
  const events = followEvents(send, 'http://sabia.test/events', options);
  expect(await events.next()).toEqual({ done: true, value: undefined });
  expect(isCancelled).toBe(true);
});
