import type { CallSwitch } from './call-switch';
import type { StackFile } from './stack-file';

interface SummaryOptions {
  home: string;
  tookMs: number;
  callSwitch: CallSwitch;
  terminal: { bold: (text: string) => string; soft: (text: string) => string };
}

/** The addresses and credentials to show after `npm start`, on one screen. */
export function summary(stack: StackFile, { home, tookMs, callSwitch, terminal }: SummaryOptions): string {
  const { bold, soft } = terminal;
  const row = (name: string, value: string) => `  ${soft(name.padEnd(12))}${value}`;
  const api = `${stack.gatewayUrl}/api/v1`;
  const { demo, testNumbers } = stack;
  return [
    '',
    `${bold('Sabiá is ready')} ${soft(`after ${(tookMs / 1000).toFixed(1)} s`)}`,
    '',
    row('Console', bold(stack.consoleUrl)),
    row('API', api),
    row('Operator', `${stack.operator.url}/operator/v1, token in ${stack.operator.tokenFile}`),
    row('Mailbox', stack.mailboxUrl),
    row('PostgreSQL', stack.postgresUrl),
    row('NATS', stack.natsUrl),
    row('Redis', stack.redisUrl),
    row('Switch', switchName(callSwitch)),
    '',
    row('Demo e-mail', demo.email),
    row('Password', demo.password),
    row('Token', demo.token),
    row('Domain', demo.domain),
    '',
    ...softphone(stack, row),
    row('Test calls', `${testNumbers.answer} answers and talks, ${testNumbers.ring} rings first,`),
    row('', `${testNumbers.busy} is busy, ${testNumbers.hangup} hangs up after 5 s`),
    '',
    `  curl -H 'Authorization: ${demo.token}' ${api}/users/me`,
    `  curl -H 'Authorization: ${demo.token}' -d '{"extension":"${demo.extension.ramal}","called":"${testNumbers.answer}"}' ${api}/calls`,
    '',
    soft(`  Ctrl-C stops everything. Logs are in ${home}/logs, all addresses in ${home}/stack.json.`),
    '',
  ].join('\n');
}

function switchName({ switches, edges, reason = '' }: CallSwitch): string {
  if (switches.length === 0) return `simulated: ${oneLine(reason)}`;
  if (switches.length === 1 && edges.length === 1) return 'Asterisk';
  return `${switches.length} Asterisk nodes, ${edges.length} SIP edges: ${edges.map(({ sipUdp }) => sipUdp).join(', ')}`;
}

/** Labelled as in the settings of softphones. */
function softphone({ sip, demo }: StackFile, row: (name: string, value: string) => string): string[] {
  if (!sip) return [row('Extension', `${demo.extension.ramal} (needs no softphone: nothing rings in a simulation)`)];
  return [
    row('Softphone', `user ${demo.extension.ramal}, password ${demo.extension.senha}, domain ${demo.domain},`),
    row('', `outbound proxy ${sip.udp} (UDP or TCP); a web phone: ${sip.ws}`),
  ];
}

function oneLine(text: string): string {
  const [first = ''] = text.split('\n');
  return first.length > 160 ? `${first.slice(0, 159)}…` : first;
}
