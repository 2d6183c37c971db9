import { broadcast, broadcastSubject, onBroadcast } from '@sabia/service-kit/events/nats/broadcast';
import type { Nats } from '@sabia/service-kit/events/nats/connection';
import type { Logger } from '@sabia/service-kit/logging';
import type { Database } from '@sabia/service-kit/postgres/database';
import { createPeriodicWork } from '@sabia/service-kit/work/periodic-work';
import type { SwitchNode } from '../domain/switch-node';
import { forgetReplica, noteReplica } from '../storage/replicas';
import { forgetGone, markUnseen } from '../storage/switch-registry';
import type { CallSwitch, SwitchPlane } from '../switch/port';
import type { Engine } from './engine';

export interface FleetOptions {
  database: Database;
  nats: Nats;
  plane: Pick<SwitchPlane, 'listNodes' | 'open'>;
  createEngine: (callSwitch: CallSwitch, isWanting: () => boolean) => Engine;
  /** Looks after the calls of switches that nobody drives; once a second. */
  lookForLost: () => Promise<void>;
  /** Names this process. */
  holder: string;
  leaseSeconds: number;
  /** After so long without a response a switch is gone. */
  absenceSeconds: number;
  log: Logger;
}

export interface Fleet {
  /** Wakes the drivers of these switches, whichever replica they are in; not given: of all. */
  poke(switchNames?: string[]): void;
  /** Refreshes the number of live calls in the metrics. */
  count(): Promise<void>;
  start(): void;
  stop(): Promise<void>;
}

interface Member {
  node: SwitchNode;
  callSwitch: CallSwitch;
  engine: Engine;
}

const workSubject = broadcastSubject('telephony.switch.work');
const ROUND_MS = 1_000;
/** A replica has more than its share for so many rounds before it gives a switch back: others may be starting or stopping. */
const ROUNDS_ABOVE = 5;
/** A replica that has just started has not looked for the switches yet. */
const SETTLED_ROUNDS = 6;

/** Drives any number of switches, each under a lease of its own, which the replicas share evenly. */
export function createFleet(options: FleetOptions): Fleet {
  const { database, nats, plane, holder, leaseSeconds, log } = options;
  const members = new Map<string, Member>();
  let share = Infinity;
  let rounds = 0;
  let roundsAbove = 0;
  let stopListening = (): void => undefined;

  const driven = (): Member[] => [...members.values()].filter(({ engine }) => engine.drives);

  function add(node: SwitchNode): void {
    const callSwitch = plane.open(node);
    const engine = options.createEngine(callSwitch, () => driven().length < share);
    members.set(node.name, { node, callSwitch, engine });
    engine.start();
  }

  async function remove({ node, callSwitch, engine }: Member): Promise<void> {
    members.delete(node.name);
    await engine.stop();
    await callSwitch.close();
  }

  /** A switch that has left the list is driven for as long as it can be reached: its calls go on to their end. */
  async function follow(nodes: SwitchNode[]): Promise<void> {
    for (const member of [...members.values()]) {
      const node = nodes.find(({ name }) => name === member.node.name);
      const isOver = node === undefined ? !member.engine.drives : JSON.stringify(node) !== JSON.stringify(member.node);
      if (isOver) await remove(member);
    }
    nodes.filter(({ name }) => !members.has(name)).forEach(add);
  }

  /** Gives a switch back when there are replicas with fewer. */
  async function balance(): Promise<void> {
    const replicas = await noteReplica(database, holder, leaseSeconds);
    share = Math.ceil(members.size / replicas);
    const mine = driven();
    roundsAbove = mine.length > share ? roundsAbove + 1 : 0;
    if (roundsAbove >= ROUNDS_ABOVE) {
      roundsAbove = 0;
      mine.at(-1)?.engine.handOver();
    }
  }

  async function markLost(nodes: SwitchNode[]): Promise<void> {
    rounds += 1;
    if (rounds < SETTLED_ROUNDS) return;
    const names = await markUnseen(database, options.absenceSeconds);
    if (names.length > 0) log.warn({ switches: names }, 'no replica reaches these switches');
    await forgetGone(
      database,
      nodes.map(({ name }) => name),
    );
  }

  const following = createPeriodicWork({
    name: 'the fleet of switches',
    everyMs: ROUND_MS,
    async work() {
      const nodes = await plane.listNodes();
      await follow(nodes);
      await balance();
      await markLost(nodes);
    },
    log,
  });
  const looking = createPeriodicWork({
    name: 'calls of lost switches',
    everyMs: ROUND_MS,
    work: options.lookForLost,
    log,
  });

  function wake(names: readonly string[]): void {
    const woken = names.length === 0 ? [...members.values()] : names.flatMap((name) => members.get(name) ?? []);
    woken.forEach(({ engine }) => engine.poke());
  }

  return {
    /** A broadcast that gets lost costs a moment only: the drivers also look by themselves. */
    poke(switchNames = []) {
      wake(switchNames);
      const names = switchNames.length > 0 ? switchNames : [...members.keys()];
      const isMine = names.every((name) => members.get(name)?.engine.drives);
      if (!isMine && nats.connected) {
        broadcast(nats, workSubject, Buffer.from(switchNames.join('\n'))).catch(() => undefined);
      }
    },
    async count() {
      await Promise.all([...members.values()].map(({ engine }) => engine.count()));
    },
    start() {
      stopListening = onBroadcast(nats, workSubject, (bytes) =>
        wake(Buffer.from(bytes).toString('utf8').split('\n').filter(Boolean)),
      );
      following.start();
      looking.start();
    },
    async stop() {
      stopListening();
      await Promise.all([following.stop(), looking.stop()]);
      await Promise.all([...members.values()].map(remove));
      await forgetReplica(database, holder).catch(() => undefined);
    },
  };
}
