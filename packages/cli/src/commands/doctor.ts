import type { Command } from 'commander';
import { urlFor, profileName } from '../context';
import { Failure, exitCodes } from '../failure';
import { examine } from '../doctor/examine';
import type { Finding } from '../doctor/finding';
import { optionsOf } from './command';
import type { AddCommands } from './command';

export const addDoctor: AddCommands = (parent, context) => {
  const { m, terminal, config, profiles } = context;
  parent
    .command('doctor')
    .description(m.doctor)
    .action(async (_options: unknown, command: Command) => {
      const options = optionsOf(command);
      const url = urlFor(context, options);
      const profile = profiles.get(profileName(context, options));
      const token = config.token ?? (profile?.url === url ? profile.token : undefined);
      const findings: Finding[] = [];
      if (!options.json) terminal.line(terminal.bold(m.examining(url)));
      for await (const finding of examine({ context, url, token })) {
        findings.push(finding);
        if (!options.json) tell(finding);
      }
      if (options.json) terminal.json(findings);
      const faults = findings.filter(({ state }) => state === 'fault').length;
      if (faults > 0) throw new Failure(m.faultsFound(faults), exitCodes.unhealthy);
      const hints = findings.some(({ state }) => state === 'hint');
      if (!options.json) terminal.line(hints ? m.onlyHints : m.allWell);
    });

  function tell({ state, what, advice }: Finding): void {
    const sign = { fine: terminal.good('✓'), hint: terminal.warn('!'), fault: terminal.bad('✗') }[state];
    terminal.line(`${sign} ${what}`);
    if (advice !== undefined) terminal.line(`  → ${advice}`);
  }
};
