import type { Delivery } from './delivery';
import type { Part } from './parts';

/** The messages of a consumer that are not settled, and how many of their events are not. */
export interface HeldMessages {
  readonly events: number;
  add(message: Delivery, part: Part): void;
  addEvents(many: number): void;
  removeEvent(): void;
  remove(message: Delivery): void;
  partOf(message: Delivery): Part | undefined;
  /** How many further messages there is room for. */
  room(): number;
  /** Restarts the acknowledgement timeouts. */
  stillWorking(): void;
}

/** Of the capacity. How many events a message carries is known when it has come; so few messages bring at most twice the capacity. */
const shareOfRequest = 1 / 16;

/** `capacity`: how many events there is room for; a request that is under way may bring more. */
export function createHeldMessages(capacity: number): HeldMessages {
  const held = new Map<Delivery, Part>();
  const mostAtOnce = Math.ceil(capacity * shareOfRequest);
  let events = 0;
  return {
    get events() {
      return events;
    },
    add: (message, part) => void held.set(message, part),
    addEvents: (many) => void (events += many),
    removeEvent: () => void (events -= 1),
    remove: (message) => void held.delete(message),
    partOf: (message) => held.get(message),
    room: () => Math.min(capacity - Math.max(events, held.size), mostAtOnce),
    stillWorking: () => held.forEach((_part, message) => message.stillWorking()),
  };
}
