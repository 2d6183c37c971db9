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
  const children = new Map<number, Process[]>();
  let ticks = 0;
  for (const found of processes()) {
    children.set(found.parent, [...(children.get(found.parent) ?? []), found]);
    if (found.pid === root) ticks += found.ticks;
  }
  const unseen = [root];
  for (let pid = unseen.pop(); pid !== undefined; pid = unseen.pop()) {
    for (const child of children.get(pid) ?? []) {
      ticks += child.ticks;
      unseen.push(child.pid);
    }
  }
  return ticks / ticksPerSecond;
}

function processes(): Process[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name) => readProcess(Number(name)) ?? []);
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
