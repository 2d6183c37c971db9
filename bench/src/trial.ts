/** Something real calls must keep to, measured once, beside what bare Asterisk does in the same run. */
export interface TrialEntry {
  name: string;
  run(say: (line: string) => void): Promise<Verdict>;
}

export interface Verdict {
  floor: string;
  measured: string;
  target: string;
  kept: boolean;
}

export interface Trial extends Verdict {
  name: string;
}

export async function tryOut({ name, run }: TrialEntry, say: (line: string) => void): Promise<Trial> {
  say(`${name} …`);
  return { name, ...(await run(say)) };
}
