import type { Command } from 'commander';

export const shells = ['bash', 'zsh', 'fish'] as const;
export type Shell = (typeof shells)[number];

interface Words {
  /** "webhooks listen"; empty for the program itself. */
  path: string;
  commands: { name: string; description: string }[];
  options: { name: string; description: string }[];
}

/** A script that completes commands and options; it is made from the program, so it knows all of them. */
export function completionScript(shell: Shell, program: Command): string {
  const all = wordsOf(program);
  switch (shell) {
    case 'bash':
      return bash(all);
    case 'zsh':
      return `#compdef sabia\nautoload -U +X bashcompinit && bashcompinit\n${bash(all)}`;
    case 'fish':
      return fish(all);
  }
}

function wordsOf(command: Command, path: string[] = []): Words[] {
  const options = [...command.options, ...(path.length > 0 ? (rootOf(command).options ?? []) : [])].map(
    ({ long, description }) => ({ name: long ?? '', description }),
  );
  const commands = command.commands.map((each) => ({ name: each.name(), description: each.description() }));
  return [
    { path: path.join(' '), commands, options: [...options, { name: '--help', description: '' }] },
    ...command.commands.flatMap((each) => wordsOf(each, [...path, each.name()])),
  ];
}

const rootOf = (command: Command): Command => (command.parent ? rootOf(command.parent) : command);

/** The words before the cursor that are commands tell where it is. */
function bash(all: readonly Words[]): string {
  const cases = all.map(
    ({ path, commands, options }) =>
      `    '${path}') words='${[...commands, ...options].map(({ name }) => name).join(' ')}' ;;`,
  );
  const known = all.map(({ path }) => `'${path}'`).join('|');
  return `_sabia() {
  local current="\${COMP_WORDS[COMP_CWORD]}" path='' words='' candidate word
  for word in "\${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    candidate="\${path:+$path }$word"
    case "$candidate" in ${known}) path="$candidate" ;; esac
  done
  case "$path" in
${cases.join('\n')}
  esac
  COMPREPLY=($(compgen -W "$words" -- "$current"))
}
complete -o default -F _sabia sabia
`;
}

function fish(all: readonly Words[]): string {
  const quoted = (text: string): string => `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;
  const lines = all.flatMap(({ path, commands, options }) => {
    const seen = path === '' ? [] : path.split(' ').map((word) => `__fish_seen_subcommand_from ${word}`);
    const names = commands.map(({ name }) => name).join(' ');
    const here = [...seen, ...(names ? [`not __fish_seen_subcommand_from ${names}`] : [])].join('; and ');
    const condition = here ? ` -n ${quoted(here)}` : '';
    return [
      ...commands.map(
        ({ name, description }) => `complete -c sabia -f${condition} -a ${name} -d ${quoted(description)}`,
      ),
      ...options.map(
        ({ name, description }) => `complete -c sabia${condition} -l ${name.slice(2)} -d ${quoted(description)}`,
      ),
    ];
  });
  return `${lines.join('\n')}\n`;
}
