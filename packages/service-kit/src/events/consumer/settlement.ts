export interface Settlement {
  /** It was handled. */
  ack(): void;
  /** Asks for another delivery after the delay. */
  retry(delayMs?: number): void;
  /** Refuses further deliveries of what was not handled. */
  giveUp(): void;
}

/** Of an event that shares its message. */
export interface EventSettlement extends Settlement {
  /** Asks for another try after the delay, and for none of the events that came with it. */
  postpone(delayMs: number): void;
}

export interface SharedMessage {
  message: Settlement;
  /** How many events of it are to be settled. */
  events: number;
  /** Publishes an event in a message of its own; the position is that in this message. */
  publishAlone(position: number): Promise<void>;
  onEventSettled(): void;
}

interface Word {
  kind: 'handled' | 'returned' | 'postponed' | 'given up';
  delayMs?: number;
}

/**
 * The settlements of the events of a message, which settle the message with the last of them. The inbox skips what was handled, so a
 * message may come again for some of its events. Where these are to wait for different times, or another one was given up, which would
 * be tried anew with them, they go on in messages of their own.
 */
export function settledWithTheLast({
  message,
  events,
  publishAlone,
  onEventSettled,
}: SharedMessage): EventSettlement[] {
  const words = new Map<number, Word>();

  const divide = (leaving: { position: number }[]): Promise<boolean> =>
    Promise.all(leaving.map(({ position }) => publishAlone(position))).then(
      () => true,
      () => false,
    );

  async function settleMessage(): Promise<void> {
    const all = [...words].map(([position, word]) => ({ position, delayMs: 0, ...word }));
    const of = (kind: Word['kind']) => all.filter((word) => word.kind === kind);
    const [postponed, returned] = [of('postponed'), of('returned')];
    const shortest = Math.min(...[...postponed, ...returned].map(({ delayMs }) => delayMs));
    if (returned.length > 0) {
      message.retry(shortest);
    } else if (postponed.length > 0) {
      const haveOnePace = of('given up').length === 0 && postponed.every(({ delayMs }) => delayMs === shortest);
      const isDivided = !haveOnePace && (await divide(postponed));
      if (isDivided) message.ack();
      else message.retry(shortest);
    } else if (of('handled').length > 0) {
      message.ack();
    } else {
      message.giveUp();
    }
  }

  return Array.from({ length: events }, (_none, position) => {
    const settle = (word: Word): void => {
      if (words.has(position)) return;
      words.set(position, word);
      onEventSettled();
      if (words.size === events) void settleMessage();
    };
    return {
      ack: () => settle({ kind: 'handled' }),
      retry: (delayMs) => settle({ kind: 'returned', ...(delayMs !== undefined && { delayMs }) }),
      postpone: (delayMs) => settle({ kind: 'postponed', delayMs }),
      giveUp: () => settle({ kind: 'given up' }),
    };
  });
}
