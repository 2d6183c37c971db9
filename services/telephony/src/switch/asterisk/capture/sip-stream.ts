const HEAD_END = Buffer.from('\r\n\r\n');
const MOST_MESSAGES = 50;
const contentLength = /\n(?:content-length|l)[ \t]*:[ \t]*(\d{1,6})[ \t]*(?:\r?\n|$)/i;

/**
 * The SIP messages of a copy. Over TCP a copy holds all that was read at once, which may be several messages, the last of them cut off; it is
 * then sent once for each, and the one that was cut off once more.
 */
export function splitMessages(payload: Buffer): Buffer[] {
  const messages: Buffer[] = [];
  let rest = payload;
  while (rest.length > 0 && messages.length < MOST_MESSAGES) {
    const headLength = rest.indexOf(HEAD_END);
    const [, length] = contentLength.exec(rest.toString('latin1', 0, headLength)) ?? [];
    if (headLength < 0 || length === undefined) break;
    const end = headLength + HEAD_END.length + Number(length);
    if (end > rest.length) break;
    messages.push(rest.subarray(0, end));
    rest = rest.subarray(end);
  }
  // A packet of UDP is one message, whatever it says of its length.
  return messages.length === 0 ? [payload] : messages;
}
