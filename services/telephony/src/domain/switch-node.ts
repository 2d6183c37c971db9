import { z } from 'zod';

/** One switch of the fleet and how to reach it. */
export interface SwitchNode {
  name: string;
  /** With its path: http://127.0.0.1:8088/ari */
  ariUrl: string;
  /** Where it takes SIP; the host may be a name. */
  sip: { host: string; port: number };
  /** The calls that it may have at once. */
  capacity: number;
}

/** active: takes new calls. draining: keeps those it has. gone: no replica reaches it. */
export type SwitchState = 'active' | 'draining' | 'gone';

export interface RegisteredSwitch {
  name: string;
  sipHost: string;
  sipPort: number;
  capacity: number;
  state: SwitchState;
  /** An operator holds it back from new calls. */
  isHeld: boolean;
  seenAt: Date | null;
  liveCalls: number;
}

export interface SwitchLoad {
  name: string;
  capacity: number;
  liveCalls: number;
}

/**
 * The less loaded of two switches chosen at random among those with room. What replicas know of the load is a moment old: if all of
 * them chose the least loaded one, it would get the calls of all. Undefined: no switch has room.
 */
export function chooseSwitch<Load extends SwitchLoad>(
  loads: readonly Load[],
  { margin = 0, random = Math.random }: { margin?: number; random?: () => number } = {},
): Load | undefined {
  const open = loads.filter(({ capacity, liveCalls }) => capacity - liveCalls > margin);
  const first = open[Math.floor(random() * open.length)];
  const others = open.filter((load) => load !== first);
  const second = others[Math.floor(random() * others.length)];
  if (first === undefined || second === undefined) {
    return first;
  }
  return second.liveCalls / second.capacity < first.liveCalls / first.capacity ? second : first;
}

export const DEFAULT_CAPACITY = 500;
const nodeName = /^[A-Za-z0-9_.-]{1,63}$/;
const hostAndPort = /^(?:\[([0-9A-Fa-f:]+)\]|([A-Za-z0-9.-]{1,253})):(\d{1,5})$/;

const nodesShape = z
  .array(
    z.strictObject({
      name: z.string().regex(nodeName),
      ari: z.url({ protocol: /^https?$/ }),
      /** host:port */
      sip: z.string().regex(hostAndPort),
      capacity: z.int().min(1).max(100_000).default(DEFAULT_CAPACITY),
    }),
  )
  .min(1)
  .refine((nodes) => new Set(nodes.map(({ name }) => name)).size === nodes.length, 'expected each name once');

/** SWITCHES: a JSON array. */
export function readSwitches(text: string, context: z.RefinementCtx): SwitchNode[] {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    context.addIssue('expected a JSON array of switches');
    return z.NEVER;
  }
  const result = nodesShape.safeParse(value);
  if (!result.success) {
    const [issue] = result.error.issues;
    context.addIssue(`switch ${issue?.path.join('.') ?? ''}: ${issue?.message ?? ''}`);
    return z.NEVER;
  }
  return result.data.map(({ name, ari, sip, capacity }) => ({ name, ariUrl: ari, sip: readAddress(sip), capacity }));
}

function readAddress(text: string): { host: string; port: number } {
  const [, v6, host, port] = hostAndPort.exec(text)!;
  return { host: v6 ?? host!, port: Number(port) };
}
