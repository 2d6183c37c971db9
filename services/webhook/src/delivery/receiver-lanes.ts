import { setTimeout as delay } from 'node:timers/promises';
import { hasTrouble, receiverLimits } from '../domain/circuit';
import type { Receiver } from '../domain/receiver';
import { aheadOfUnknown } from '../storage/claims';
import type { Claim, Room } from '../storage/claims';
import { createLane } from './lane';
import type { Lane } from './lane';

/** What this process holds, by receiver, and how much more of each it wants. */
export interface Lanes {
  /** No other replica is at work: waiting is better than leaving deliveries to somebody else. */
  alone: boolean;
  of(integrationId: number): Lane;
  all(): Lane[];
  /** For a claim. */
  rooms(): Map<number, Room>;
  onClaimed(rooms: ReadonlyMap<number, Room>, claims: readonly Claim[]): void;
  /** Whether results make it worth while to look into the table again. */
  wantMore(results: readonly { integrationId: number; claimed: boolean }[]): boolean;
  /** Resolves when there is room for new deliveries, or waiting for it makes no sense. */
  room(): Promise<void>;
  /** Whether a claim would bring something for it. */
  hasRoom(receiver: Receiver, now: Date): boolean;
  /** Receivers whose new deliveries need no way through the table. */
  willing(receivers: readonly Receiver[]): Set<number>;
}

/** Per receiver. What is more waits in the table. */
const mostAlone = 4_096;
const mostBesideOthers = 512;
const mostInAll = 50_000;
/** A receiver that is as fast as this is not the one to wait for; what is missing is time of our own. */
const fastPerSecond = 400;
const longestPatienceMs = 1_000;
const lookEveryMs = 5;
/** Claimed ahead for a fast receiver, in time. */
const aheadSeconds = 1;
const mostAhead = 1_024;
const idleMs = 60_000;

export function createLanes(): Lanes {
  const lanes = new Map<number, Lane>();

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

  function inAll(): number {
    let sum = 0;
    lanes.forEach(({ held }) => (sum += held));
    return sum;
  }

  function removeIdle(): void {
    const longAgo = performance.now() - idleMs;
    for (const [id, lane] of lanes) {
      if (lane.held === 0 && lane.busy === 0 && lane.usedAt < longAgo) {
        lanes.delete(id);
      }
    }
  }

  const self: Lanes = {
    alone: true,
    of,
    all: () => [...lanes.values()],
    rooms() {
      removeIdle();
      return new Map([...lanes].map(([id, lane]) => [id, { held: lane.held, ahead: aheadOf(lane) }]));
    },
    onClaimed(rooms, claims) {
      const counts = new Map<number, number>();
      claims.forEach(({ integrationId: id }) => counts.set(id, (counts.get(id) ?? 0) + 1));
      counts.forEach((count, id) => {
        if (!rooms.has(id)) {
          of(id).overflowing = count >= aheadOfUnknown;
        }
      });
      for (const [id, { held, ahead }] of rooms) {
        const room = ahead - held;
        // Less than there was room for: the table has no more of it.
        if (room > 0) {
          of(id).overflowing = (counts.get(id) ?? 0) >= room;
        }
      }
    },
    wantMore: (results) =>
      results.some(({ integrationId, claimed }) => {
        const lane = of(integrationId);
        return lane.overflowing ? lane.held <= aheadOf(lane) / 2 : claimed;
      }),
    async room() {
      const giveUpAt = performance.now() + longestPatienceMs;
      while (self.alone && performance.now() < giveUpAt && [...lanes.values()].some(isCrowded)) {
        await delay(lookEveryMs);
      }
    },
    hasRoom(receiver, now) {
      const { integrationId, consecutiveFailures, pausedUntil } = receiver;
      if (pausedUntil !== null && pausedUntil > now) {
        return false;
      }
      const lane = lanes.get(integrationId);
      const held = lane?.held ?? 0;
      if (consecutiveFailures > 0) {
        return (
          held < (consecutiveFailures < receiverLimits.faultsThatOpen ? receiverLimits.shaky : receiverLimits.open)
        );
      }
      return lane === undefined || held < aheadOf(lane);
    },
    willing(receivers) {
      const willing = new Set<number>();
      const full = inAll() >= mostInAll;
      for (const receiver of receivers) {
        if (receiver.settings === null || receiver.disabledReason !== null || hasTrouble(receiver)) {
          continue;
        }
        const lane = of(receiver.integrationId);
        if (full || lane.held >= most()) {
          lane.overflowing = true;
        }
        if (!lane.overflowing && lane.faults === 0) {
          willing.add(receiver.integrationId);
        }
      }
      return willing;
    },
  };
  return self;
}
