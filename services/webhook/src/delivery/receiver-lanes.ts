import { setTimeout as delay } from 'node:timers/promises';
import { hasTrouble, healthOf, receiverLimits } from '../domain/circuit';
import type { Receiver } from '../domain/receiver';
import { aheadOfUnknown } from '../storage/claims';
import type { Claim, Room } from '../storage/claims';
import { createLane } from './lane';
import type { Lane } from './lane';

type HeldDelivery = Pick<Claim, 'id' | 'integrationId'>;

/** The lanes of this process by receiver, and how many more deliveries each of them wants. */
export interface ReceiverLanes {
  /** No other replica is at work: waiting for room is better than leaving deliveries in the table. */
  alone: boolean;
  of(integrationId: number): Lane;
  all(): Lane[];
  /** Notes that the delivery belongs to this process from now on. */
  hold(delivery: HeldDelivery): Lane;
  holds(deliveryId: string): boolean;
  /** Notes that the delivery no longer belongs to this process. */
  release(delivery: HeldDelivery): void;
  /** What each known receiver has and may have, for a claim. */
  rooms(): Map<number, Room>;
  onClaimed(rooms: ReadonlyMap<number, Room>, claims: readonly Claim[]): void;
  /** Whether a claim is worth while now that these results are written. */
  wantMore(results: readonly { integrationId: number; claimed: boolean }[]): boolean;
  /** Resolves when there is room for new deliveries, or waiting for it makes no sense. */
  room(): Promise<void>;
  /** Whether a claim would bring something for the receiver. */
  hasRoom(receiver: Receiver, now: Date): boolean;
  /** The receivers whose new deliveries need not go through the table. */
  willing(receivers: readonly Receiver[]): Set<number>;
}

/** Deliveries held per receiver; further ones wait in the table. */
const mostAlone = 4_096;
const mostBesideOthers = 512;
const mostInAll = 50_000;
/** Waiting helps only for a receiver at least as fast as this: there the bottleneck is this process. */
const fastPerSecond = 400;
const longestPatienceMs = 1_000;
const lookEveryMs = 5;
/** How far ahead deliveries are claimed for a fast receiver. */
const aheadSeconds = 1;
const mostAhead = 1_024;
const idleMs = 60_000;

export function createReceiverLanes(): ReceiverLanes {
  const lanes = new Map<number, Lane>();
  const heldIds = new Set<string>();

  function of(integrationId: number): Lane {
    let lane = lanes.get(integrationId);
    if (lane === undefined) {
      lane = createLane();
      lanes.set(integrationId, lane);
    }
    return lane;
  }

  const most = (): number => (self.alone ? mostAlone : mostBesideOthers);
  const aheadOf = (lane: Lane): number =>
    Math.max(receiverLimits.healthy, Math.min(mostAhead, Math.round(lane.pace() * aheadSeconds)));
  const isCrowded = (lane: Lane): boolean => lane.held >= most() && lane.pace() >= fastPerSecond;

  function removeIdle(): void {
    const longAgo = performance.now() - idleMs;
    for (const [id, lane] of lanes) {
      if (lane.held === 0 && lane.busy === 0 && lane.usedAt < longAgo) {
        lanes.delete(id);
      }
    }
  }

  const self: ReceiverLanes = {
    alone: true,
    of,
    all: () => [...lanes.values()],
    hold({ id, integrationId }) {
      const lane = of(integrationId);
      heldIds.add(id);
      lane.held += 1;
      return lane;
    },
    holds: (deliveryId) => heldIds.has(deliveryId),
    release({ id, integrationId }) {
      heldIds.delete(id);
      of(integrationId).held -= 1;
    },
    rooms() {
      removeIdle();
      return new Map([...lanes].map(([id, lane]) => [id, { held: lane.held, ahead: aheadOf(lane) }]));
    },
    onClaimed(rooms, claims) {
      const counts = new Map<number, number>();
      claims.forEach(({ integrationId: id }) => counts.set(id, (counts.get(id) ?? 0) + 1));
      // As many as there was room for: there may be more in the table.
      counts.forEach((count, id) => {
        if (!rooms.has(id)) {
          of(id).intake = count >= aheadOfUnknown ? 'table' : 'direct';
        }
      });
      for (const [id, { held, ahead }] of rooms) {
        const room = ahead - held;
        if (room > 0) {
          of(id).intake = (counts.get(id) ?? 0) >= room ? 'table' : 'direct';
        }
      }
    },
    wantMore: (results) =>
      results.some(({ integrationId, claimed }) => {
        const lane = of(integrationId);
        return lane.intake === 'table' ? lane.held <= aheadOf(lane) / 2 : claimed;
      }),
    async room() {
      const giveUpAt = performance.now() + longestPatienceMs;
      while (self.alone && performance.now() < giveUpAt && [...lanes.values()].some(isCrowded)) {
        await delay(lookEveryMs);
      }
    },
    hasRoom({ integrationId, consecutiveFailures, pausedUntil }, now) {
      if (pausedUntil !== null && pausedUntil > now) {
        return false;
      }
      const lane = lanes.get(integrationId);
      const held = lane?.held ?? 0;
      if (consecutiveFailures > 0) {
        return held < receiverLimits[healthOf(consecutiveFailures)];
      }
      return lane === undefined || held < aheadOf(lane);
    },
    willing(receivers) {
      const willing = new Set<number>();
      const isFull = heldIds.size >= mostInAll;
      for (const receiver of receivers) {
        if (receiver.settings === null || receiver.disabledReason !== null || hasTrouble(receiver)) {
          continue;
        }
        const lane = of(receiver.integrationId);
        if (isFull || lane.held >= most()) {
          lane.intake = 'table';
        }
        if (lane.intake === 'direct' && lane.health === 'healthy') {
          willing.add(receiver.integrationId);
        }
      }
      return willing;
    },
  };
  return self;
}
