import { FailedRun } from './harness';

export interface BenchArguments {
  /** Words of the names of entries; none: all entries. */
  words: string[];
  /** Calls of the account whose calls are listed; undefined: as many as the kind of run needs. */
  rows: number | undefined;
  /** What the stack of this tree is measured beside: undefined, the floors. */
  other: OtherStack | undefined;
  /** Rounds of a run beside another stack. */
  rounds: number | undefined;
}

/** `plain`: the same tree with these optimisations switched off. `commit`: the tree of another commit. */
export type OtherStack = { kind: 'plain'; names: string } | { kind: 'commit'; ref: string };

export function readArguments(given: string[]): BenchArguments {
  const options = new Map<string, string>();
  const words: string[] = [];
  for (const argument of given) {
    const [, name, value] = /^--([a-z]+)=(.+)$/.exec(argument) ?? [];
    if (name !== undefined && value !== undefined && ['rows', 'rounds', 'plain', 'against'].includes(name)) {
      options.set(name, value);
    } else if (argument.startsWith('--')) {
      throw new FailedRun(
        `unknown option ${argument}; there are --rows=, --rounds=, --plain=<names> and --against=<ref>`,
      );
    } else {
      words.push(argument);
    }
  }
  return {
    words,
    rows: readNumber('rows', options.get('rows'), /^[1-9]\d{3,8}$/, 'from 1000 to 999999999'),
    rounds: readNumber('rounds', options.get('rounds'), /^[1-9]\d?$/, 'from 1 to 99'),
    other: readOther(options.get('plain'), options.get('against')),
  };
}

function readNumber(name: string, text: string | undefined, pattern: RegExp, range: string): number | undefined {
  if (text === undefined) return undefined;
  if (!pattern.test(text)) throw new FailedRun(`--${name}= takes a number ${range}`);
  return Number(text);
}

function readOther(names: string | undefined, ref: string | undefined): OtherStack | undefined {
  if (names !== undefined && ref !== undefined) throw new FailedRun('--plain= and --against= exclude each other');
  if (names !== undefined) return { kind: 'plain', names };
  return ref === undefined ? undefined : { kind: 'commit', ref };
}
