export interface SecurityEvent {
  /** As in Asterisk's security log: ChallengeResponseFailed, InvalidPassword, InvalidAccountID, FailedACL, … */
  kind: string;
  /** The extension that was tried, or <unknown>. */
  account: string;
  /** UDP, TCP, WS, … */
  transport: string;
  address: string;
}

/** AMI messages: lines of "Name: value", each message ended by an empty line. A greeting line precedes the first. */
export function readMessages(text: string): { messages: Map<string, string>[]; rest: string } {
  const blocks = text.split('\r\n\r\n');
  const rest = blocks.pop() ?? '';
  return { messages: blocks.map(toFields), rest };
}

function toFields(block: string): Map<string, string> {
  return new Map(
    block.split('\r\n').flatMap((line): [string, string][] => {
      const colon = line.indexOf(': ');
      return colon > 0 ? [[line.slice(0, colon), line.slice(colon + 2)]] : [];
    }),
  );
}

/** Undefined: the message is not a security event. */
export function toSecurityEvent(message: ReadonlyMap<string, string>): SecurityEvent | undefined {
  const kind = message.get('Event');
  // IPV4/UDP/192.0.2.7/5060
  const [, transport, address] = message.get('RemoteAddress')?.split('/') ?? [];
  if (!kind || !transport || !address) return undefined;
  return { kind, account: message.get('AccountID') ?? '', transport, address };
}
