import { readdirSync, readFileSync } from 'node:fs';

/** What Linux counts in /proc: a hundredth of a second. */
const ticksPerSecond = 100;

interface Process {
  pid: number;
  parent: number;
  ticks: number;
}

/**
 * CPU seconds that a process and all its descendants have used so far: a stack is the descendants of the process that started it,
 * its PostgreSQL, NATS and Redis among them. Undefined on systems without /proc.
 */
export function cpuSecondsOf(root: number): number | undefined {
  if (process.platform !== 'linux') return undefined;
  return familyOf(root).reduce((sum, { ticks }) => sum + ticks, 0) / ticksPerSecond;
}

/** Megabytes of the same processes, each page divided among those that share it (PSS); undefined on systems without /proc. */
export function megabytesOf(root: number): number | undefined {
  if (process.platform !== 'linux') return undefined;
  return familyOf(root).reduce((sum, { pid }) => sum + pssOf(pid), 0) / 1024;
}

/** The process and all its descendants. */
function familyOf(root: number): Process[] {
  const all = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name) => readProcess(Number(name)) ?? []);
  const family = all.filter(({ pid }) => pid === root);
  for (const { pid } of family) family.push(...all.filter(({ parent }) => parent === pid));
  return family;
}

/** In kilobytes; 0 for a process that has ended. */
function pssOf(pid: number): number {
  try {
    return Number(/^Pss:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8'))?.[1] ?? 0);
  } catch {
    return 0;
  }
}

function readProcess(pid: number): Process | undefined {
  try {
    return parseStat(pid, readFileSync(`/proc/${pid}/stat`, 'utf8'));
  } catch {
    // It ended while the list was read; its time is now part of its parent's.
    return undefined;
  }
}

/** utime and stime of the process, cutime and cstime of its children that have ended: see proc(5). */
export function parseStat(pid: number, stat: string): Process {
  // The second field is the name of the program in parentheses, and may hold spaces and parentheses itself.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const ticks = fields.slice(11, 15).reduce((sum, field) => sum + Number(field), 0);
  return { pid, parent: Number(fields[1]), ticks };
}
