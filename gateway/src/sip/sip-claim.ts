/** A SIP request with credentials: a web phone proves, or tries to guess, a password. */
export interface SipClaim {
  /** The extension of the credentials: ramal@domain. */
  extension: string;
  /** Identifies the response to the request. */
  transaction: string;
}

/** The result of a claim, read from the response of Asterisk. */
export interface SipVerdict {
  transaction: string;
  /** proven: the password was right. refused: it was wrong. open: the response does not tell. */
  outcome: 'proven' | 'refused' | 'open';
}

const credentials = /^(?:proxy-)?authorization\s*:/gim;
const requestLine = /\sSIP\/2\.0\s*$/gim;
const refusals = new Set([401, 403, 407]);
const LONGEST_NAME = 300;

/**
 * Undefined: the message has no credentials. 'ambiguous': Asterisk could read it in another way than this function (several
 * messages in one frame, several credentials or names, several headers that identify the response). No web phone sends such
 * messages; an attacker who evades the limit would.
 */
export function claimIn(text: string): SipClaim | 'ambiguous' | undefined {
  const [found, ...others] = text.matchAll(credentials);
  if (found === undefined) return undefined;
  if (others.length > 0 || [...text.matchAll(requestLine)].length !== 1) return 'ambiguous';
  // An ACK repeats the credentials of its INVITE; it is neither checked nor answered.
  if (text.startsWith('ACK ')) return undefined;
  const header = /^.*(?:\r?\n[ \t].*)*/.exec(text.slice(found.index))?.[0] ?? '';
  const [username, realm] = [parameterIn(header, 'username'), parameterIn(header, 'realm')];
  const transaction = transactionOf(text);
  if (username === undefined || realm === undefined || transaction === undefined) return 'ambiguous';
  return { extension: `${username}@${realm}`.toLowerCase().slice(0, LONGEST_NAME), transaction };
}

/** Undefined: the message is no response. */
export function verdictIn(text: string): SipVerdict | undefined {
  const status = Number(/^SIP\/2\.0 (\d{3})/.exec(text)?.[1] ?? 0);
  const transaction = status === 0 ? undefined : transactionOf(text);
  if (transaction === undefined) return undefined;
  // Asterisk says "stale" only to a client that gave the right password for an expired challenge.
  const isStale = /\bstale\s*=\s*"?true/i.test(text);
  if (refusals.has(status) && !isStale) return { transaction, outcome: 'refused' };
  // Asterisk checks the password of every REGISTER, but not of requests within a dialog or of a repeated INVITE.
  const isProof = status >= 200 && status < 300 && transaction.includes(' REGISTER ');
  return { transaction, outcome: isProof ? 'proven' : 'open' };
}

/** Includes the branch: the response to an earlier request of the same dialog must not be taken for the response to a guess. */
function transactionOf(text: string): string | undefined {
  const callId = onlyOne(text, /^(?:call-id|i)\s*:\s*(\S*)/gim);
  const sequence = onlyOne(text, /^cseq\s*:(.*)/gim);
  const via = onlyOne(text, /^(?:via|v)\s*:(.*(?:\r?\n[ \t].*)*)/gim);
  const branch = via === undefined ? undefined : onlyOne(via, /;\s*branch\s*=\s*([^\s;,]+)/gi);
  const [, number, method] = /^\s*(\d+)\s+(\w+)\s*$/.exec(sequence ?? '') ?? [];
  if (!callId || branch === undefined || number === undefined) return undefined;
  return `${Number(number)} ${method} ${callId} ${branch}`;
}

function onlyOne(text: string, pattern: RegExp): string | undefined {
  const [found, ...others] = text.matchAll(pattern);
  return others.length > 0 ? undefined : found?.[1];
}

function parameterIn(header: string, name: string): string | undefined {
  const [found, ...others] = header.matchAll(new RegExp(`\\b${name}\\s*=\\s*(?:"([^"]*)"|([^\\s",]*))`, 'gi'));
  return others.length > 0 ? undefined : (found?.[1] ?? found?.[2]);
}
