/** A SIP message of a web phone whose body describes a session. */
export interface DescribedSession {
  callId: string;
  /** The user fragment of ICE: another one is a new attempt to find a way. */
  fragment: string;
  isRequest: boolean;
  /** The address of the first candidate that can be reached: where the sender expects audio. */
  address: { host: string; port: number } | undefined;
}

/** Undefined: the message describes no session. */
export function readSession(message: string): DescribedSession | undefined {
  const fragment = /^a=ice-ufrag:(\S+)/m.exec(message)?.[1];
  const callId = /^(?:Call-ID|i)\s*:\s*(\S+)/im.exec(message)?.[1];
  if (fragment === undefined || callId === undefined) return undefined;
  const candidates = [...message.matchAll(/^a=candidate:\S+ 1 udp \d+ (\d+\.\d+\.\d+\.\d+) (\d+) typ host/gim)];
  const [, host, port] = candidates[0] ?? [];
  return {
    callId,
    fragment,
    isRequest: !message.startsWith('SIP/2.0'),
    address: host === undefined ? undefined : { host, port: Number(port) },
  };
}

/** The message with this address as the only one where its sender can be reached. */
export function withAddress(message: string, { host, port }: { host: string; port: number }): string {
  const [head = '', body = ''] = splitOnce(message, '\r\n\r\n');
  let isTold = false;
  const lines = body.split('\r\n').flatMap((line) => {
    if (line.startsWith('a=candidate:')) {
      if (isTold) return [];
      isTold = true;
      return [`a=candidate:1 1 udp 2130706431 ${host} ${port} typ host`];
    }
    return [line.replace(/^(m=audio) \d+/, `$1 ${port}`).replace(/^(c=IN IP4) \S+/, `$1 ${host}`)];
  });
  const changed = lines.join('\r\n');
  return `${head.replace(/^(Content-Length|l)\s*:.*$/im, `$1: ${Buffer.byteLength(changed)}`)}\r\n\r\n${changed}`;
}

function splitOnce(text: string, separator: string): [string, string] {
  const at = text.indexOf(separator);
  return at < 0 ? [text, ''] : [text.slice(0, at), text.slice(at + separator.length)];
}
