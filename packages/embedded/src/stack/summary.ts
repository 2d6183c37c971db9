import type { StackFile } from './stack-file';

interface SummaryOptions {
  home: string;
  tookMs: number;
  terminal: { bold: (text: string) => string; soft: (text: string) => string };
}

/** What a person needs after `npm start`, on one screen. */
export function summary(stack: StackFile, { home, tookMs, terminal }: SummaryOptions): string {
  const { bold, soft } = terminal;
  const row = (name: string, value: string) => `  ${soft(name.padEnd(12))}${value}`;
  const api = `${stack.gatewayUrl}/api/v1`;
  return [
    '',
    `${bold('Sabiá is ready')} ${soft(`after ${(tookMs / 1000).toFixed(1)} s`)}`,
    '',
    row('API', api),
    row('Mailbox', stack.mailboxUrl),
    row('PostgreSQL', stack.postgresUrl),
    row('NATS', stack.natsUrl),
    row('Redis', stack.redisUrl),
    '',
    row('Demo e-mail', stack.demo.email),
    row('Password', stack.demo.password),
    row('Token', stack.demo.token),
    row('Domain', stack.demo.domain),
    '',
    `  curl -H 'Authorization: ${stack.demo.token}' ${api}/users/me`,
    '',
    soft(`  Ctrl-C stops everything. Logs are in ${home}/logs, all addresses in ${home}/stack.json.`),
    '',
  ].join('\n');
}
