/** A request in which a web phone proves, or tries to guess, a password. */
export interface SipClaim {
  /** Whom it says it is: ramal@domain. */
  extension: string;
  /** What its answer is found by. */
  transaction: string;
}

/** What an answer of Asterisk says about a claim. */
export interface SipVerdict {
  transaction: string;
  /** proven: the password was right. refused: it was not. open: the request failed for another reason. */
  outcome: 'proven' | 'refused' | 'open';
}

const credentials = /^(?:proxy-)?authorization\s*:/gim;
const requestLine = /\sSIP\/2\.0\s*$/gim;
const refusals = new Set([401, 403, 407]);
const LONGEST_NAME = 300;

/**
 * Undefined: nothing is claimed. 'ambiguous': Asterisk could read it in another way than this does (several messages in one
 * frame, several credentials or names, several headers that its answer is found by), which no web phone needs and somebody
 * who evades a limit does.
 */
export function claimIn(text: string): SipClaim | 'ambiguous' | undefined {
  const [found, ...others] = text.matchAll(credentials);
  if (found === undefined) return undefined;
  if (others.length > 0 || [...text.matchAll(requestLine)].length !== 1) return 'ambiguous';
  // An ACK repeats the credentials of its INVITE, and neither is checked nor answered.
  if (text.startsWith('ACK ')) return undefined;
  const header = /^.*(?:\r?\n[ \t].*)*/.exec(text.slice(found.index))?.[0] ?? '';
  const [username, realm] = [parameterIn(header, 'username'), parameterIn(header, 'realm')];
  const transaction = transactionOf(text);
  if (username === undefined || realm === undefined || transaction === undefined) return 'ambiguous';
  return { extension: `${username}@${realm}`.toLowerCase().slice(0, LONGEST_NAME), transaction };
}

/** Undefined: it is no answer. */
export function verdictIn(text: string): SipVerdict | undefined {
  const status = Number(/^SIP\/2\.0 (\d{3})/.exec(text)?.[1] ?? 0);
  const transaction = status === 0 ? undefined : transactionOf(text);
  if (transaction === undefined) return undefined;
  // Only whoever gave the right password is told that the challenge was too old.
  const isStale = /\bstale\s*=\s*"?true/i.test(text);
  if (refusals.has(status) && !isStale) return { transaction, outcome: 'refused' };
  // Asterisk checks the password of every REGISTER; not that of requests within a dialog or of an INVITE sent again.
  const isProof = status >= 200 && status < 300 && transaction.includes(' REGISTER ');
  return { transaction, outcome: isProof ? 'proven' : 'open' };
}

/** With the branch: an answer to an earlier request of the same call must not be taken for the answer to a guess. */
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
