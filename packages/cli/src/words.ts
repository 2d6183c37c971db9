import type { SabiaError } from '@sabia/client';
import type { CommanderError } from 'commander';
import { exitCodes } from './failure';
import type { ExitCode } from './failure';
import type { Messages } from './messages';

interface Told {
  message: string;
  advice?: string;
  exitCode: ExitCode;
}

/** A refusal of the API: the code for programs and searches, the message of the API where there are no own words. */
export function refusalInWords(m: Messages, error: SabiaError): Told {
  const { status, code, fields } = error;
  const problems = Object.entries(fields).map(
    ([field, each]) => `${field}: ${each.map(({ message, code: what }) => message || what).join(', ')}`,
  );
  const words = m.refusals[code];
  const message = [`${words?.message ?? error.message} (${code})`, ...problems.map((each) => `  ${each}`)].join('\n');
  if (status === 0)
    return { message: `${error.message} (${code})`, advice: m.doctorAdvice, exitCode: exitCodes.unreachable };
  if (status === 401) return { message, advice: words?.advice ?? m.logInAdvice, exitCode: exitCodes.notLoggedIn };
  if (status === 403) return { message, advice: words?.advice, exitCode: exitCodes.notLoggedIn };
  if (status === 404) return { message, advice: words?.advice, exitCode: exitCodes.notFound };
  if (status >= 500) return { message, advice: m.doctorAdvice, exitCode: exitCodes.unreachable };
  return { message, advice: words?.advice, exitCode: exitCodes.refused };
}

/** What commander found wrong with the words of the command. Its sentences are English and name the part in quotes. */
export function usageInWords(m: Messages, { code, message }: CommanderError): string {
  const [, part = ''] = /'([^']*)'/.exec(message) ?? [];
  const words = m.usage[code];
  return words === undefined ? message.replace(/^error: /, '') : words(part, message);
}
