import { createInterface } from 'node:readline';
import { startedStackHome } from '../config';
import { Softphone } from '../softphone/softphone';
import type { SoftphoneEvent } from '../softphone/control-connection';
import { phoneAccount, usage } from './phone-account';

const help = 'a number dials it; a answers, h hangs up, q quits';

/** Loudness of speech is some thousands. */
const LOUD = 6_000;
const LOOK_MS = 500;

/** Reads commands from the terminal and shows what happens. There is no sound card: it plays a tone, and shows how loud the other side is. */
export async function runTerminalPhone(args = process.argv.slice(2)): Promise<void> {
  const account = args.includes('--help') || args.includes('-h') ? undefined : phoneAccount(args, startedStackHome());
  if (account === undefined) {
    process.stdout.write(usage);
    process.exitCode = args.includes('--help') ? 0 : 2;
    return;
  }
  const say = (text: string): void => void process.stdout.write(`${text}\n`);
  const onEvent = (event: SoftphoneEvent): void => {
    const words = inWords(event);
    if (words !== undefined) say(words);
  };
  const phone = await Softphone.start({ ...account, endless: true, onEvent });
  try {
    await phone.waitRegistered();
    say(`${account.ramal}@${account.domain} is registered at ${account.server}; ${help}`);
    const meter = showLoudness(phone);
    await obey(phone, say);
    clearInterval(meter);
  } finally {
    await phone.stop();
  }
}

/** Until q, the end of the input or Ctrl-C. */
async function obey(phone: Softphone, say: (text: string) => void): Promise<void> {
  const lines = createInterface({ input: process.stdin });
  process.once('SIGINT', () => lines.close());
  process.once('SIGTERM', () => lines.close());
  for await (const line of lines) {
    const word = line.trim().toLowerCase();
    if (word === 'q') break;
    try {
      if (word === 'a') await phone.answer();
      else if (word === 'h') await phone.hangup();
      else if (/^[+\d][\d\s().-]*$/.test(word)) await phone.dial(word.replace(/[^+\d]/g, ''));
      else if (word !== '') say(help);
    } catch (error) {
      say((error as Error).message);
    }
  }
  lines.close();
}

function inWords({ type, peeruri = '', param = '' }: SoftphoneEvent): string | undefined {
  const peer = peeruri.replace(/^sip:/, '').replace(/@.*/, '');
  switch (type) {
    case 'CALL_INCOMING':
      return `${peer} is calling`;
    case 'CALL_RINGING':
      return `${peer} rings`;
    case 'CALL_ESTABLISHED':
      return `talking to ${peer}`;
    case 'CALL_CLOSED':
      return `${peer}: over${param ? ` (${param})` : ''}`;
    case 'REGISTER_FAIL':
      return `not registered: ${param}`;
    default:
      return undefined;
  }
}

/** A bar while somebody is heard, on a terminal. */
function showLoudness(phone: Softphone): NodeJS.Timeout {
  let before = 0;
  return setInterval(() => {
    const { seconds, loudness } = phone.heard();
    if (process.stdout.isTTY && seconds > before) {
      const bar = '▮'.repeat(Math.min(20, Math.round((loudness / LOUD) * 20)));
      process.stdout.write(`\r${bar.padEnd(20, '▯')} ${seconds.toFixed(0)} s \r`);
    }
    before = seconds;
  }, LOOK_MS);
}
