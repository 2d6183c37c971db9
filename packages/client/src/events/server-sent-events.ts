/** One message of a stream of server-sent events. Without data it only tells the position, or nothing at all (a heartbeat). */
export interface ServerSentMessage {
  id?: string;
  event?: string;
  data?: string;
  retryMs?: number;
}

const BLANK_LINE = /\r\n\r\n|\n\n|\r\r/;
const LINE_BREAK = /\r\n|\n|\r/;

/**
 * Reads messages as https://html.spec.whatwg.org/multipage/server-sent-events.html describes, until the signal. A message that is cut
 * off at the end is dropped.
 */
export async function* readServerSentEvents(
  body: ReadableStream<Uint8Array>,
  signal?: AbortSignal,
): AsyncGenerator<ServerSentMessage, void, undefined> {
  const reader = body.getReader();
  // Node's fetch follows its signal by weak references, and may have lost them once the response has come: the stream would go on.
  const end = (): void => void reader.cancel().catch(() => undefined);
  signal?.addEventListener('abort', end, { once: true });
  const decoder = new TextDecoder();
  let unread = '';
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      const blocks = (unread + decoder.decode(value, { stream: true })).split(BLANK_LINE);
      unread = blocks.pop() ?? '';
      yield* blocks.map(readMessage);
    }
  } finally {
    signal?.removeEventListener('abort', end);
    // Whoever stops reading ends the connection.
    await reader.cancel().catch(() => undefined);
  }
}

function readMessage(block: string): ServerSentMessage {
  const message: ServerSentMessage = {};
  for (const line of block.split(LINE_BREAK)) {
    const [, name, value = ''] = /^([^:]*)(?:: ?(.*))?$/.exec(line) ?? [];
    if (name === 'data') message.data = message.data === undefined ? value : `${message.data}\n${value}`;
    else if (name === 'id' && !value.includes('\0')) message.id = value;
    else if (name === 'event') message.event = value;
    else if (name === 'retry' && /^\d+$/.test(value)) message.retryMs = Number(value);
  }
  return message;
}
