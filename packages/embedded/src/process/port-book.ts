import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { writeFileAtomically } from '../files';
import { freePort, takePort } from './ports';

/** Records which port each process of this home has, so that addresses stay the same from one start to the next. */
export interface PortBook {
  /** Returns the port of the last start if it is free, else another one; never one that was taken already. */
  take(name: string): Promise<number>;
  /** As take(), but never the port of the last start. */
  takeAnother(name: string): Promise<number>;
  /** Excludes a port that is used without take(). */
  reserve(port: number): void;
}

export function openPortBook(home: string): PortBook {
  const file = join(home, 'ports.json');
  const known = read(file);
  const given = new Set<number>();

  const give = (name: string, port: number): number => {
    given.add(port);
    known[name] = port;
    writeFileAtomically(file, `${JSON.stringify(known, null, 2)}\n`);
    return port;
  };
  const takeAnother = async (name: string): Promise<number> => {
    for (;;) {
      const port = await freePort();
      if (!given.has(port)) return give(name, port);
    }
  };
  return {
    takeAnother,
    reserve: (port) => void given.add(port),
    async take(name) {
      const usual = known[name];
      if (usual !== undefined && !given.has(usual) && (await takePort(usual))) return give(name, usual);
      return takeAnother(name);
    },
  };
}

function read(file: string): Record<string, number> {
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as Record<string, number>;
  } catch {
    // There is no file at the first start, and a broken one only loses the former ports.
    return {};
  }
}
