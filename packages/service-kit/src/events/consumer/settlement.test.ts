import { settledWithTheLast } from './settlement';
import type { EventSettlement } from './settlement';

interface Outcome {
  answers: string[];
  /** The positions of events that go on alone. */
  alone: number[];
}

/** What JetStream is told once the events of a message are settled so, one after the other. */
async function settle(words: ((event: EventSettlement) => void)[], { isAway = false } = {}): Promise<Outcome> {
  const answers: string[] = [];
  const alone: number[] = [];
  let settled = 0;
  const events = settledWithTheLast({
    message: {
      ack: () => void answers.push('ack'),
      retry: (delayMs) => void answers.push(`again after ${delayMs}`),
      giveUp: () => void answers.push('given up'),
    },
    events: words.length,
    publishAlone: (position) => {
      alone.push(position);
      return isAway ? Promise.reject(new Error('NATS is away')) : Promise.resolve();
    },
    onEventSettled: () => (settled += 1),
  });
  words.forEach((word, nth) => {
    expect(answers).toEqual([]);
    word(events[nth]!);
    expect(settled).toBe(nth + 1);
  });
  await new Promise((resolve) => setImmediate(resolve));
  return { answers, alone };
}

const ack = (event: EventSettlement): void => event.ack();
const giveUp = (event: EventSettlement): void => event.giveUp();
const giveBack = (event: EventSettlement): void => event.retry();
const retry = (delayMs: number) => (event: EventSettlement) => event.retry(delayMs);
const postpone = (delayMs: number) => (event: EventSettlement) => event.postpone(delayMs);

describe('a message of several events', () => {
  it.each([
    ['handled', [ack], 'ack'],
    ['all handled', [ack, ack, ack], 'ack'],
    ['given up', [giveUp], 'given up'],
    ['handled and given up', [ack, giveUp], 'ack'],
    ['one returned by a replica that stops', [ack, giveBack, ack], 'again after 0'],
    ['returned and postponed', [retry(2_000), postpone(500), giveUp], 'again after 500'],
    ['one postponed', [ack, postpone(2_000), ack], 'again after 2000'],
    ['several that are postponed for the same time', [postpone(500), ack, postpone(500)], 'again after 500'],
  ])('is settled with the last of them: %s', async (_what, words, answer) => {
    expect(await settle(words)).toEqual({ answers: [answer], alone: [] });
  });

  it('does not come again for events that wait for different times: they go on alone', async () => {
    const { answers, alone } = await settle([postpone(60_000), ack, postpone(500), postpone(500)]);
    expect({ answers, alone }).toEqual({ answers: ['ack'], alone: [0, 2, 3] });
  });

  it('does not come again with an event that was given up', async () => {
    const { answers, alone } = await settle([giveUp, postpone(500), ack]);
    expect({ answers, alone }).toEqual({ answers: ['ack'], alone: [1] });
  });

  it('comes again as a whole when NATS takes no event alone', async () => {
    const { answers } = await settle([giveUp, postpone(500), postpone(2_000)], { isAway: true });
    expect(answers).toEqual(['again after 500']);
  });

  it('takes the first word of each', async () => {
    const { answers } = await settle([
      (event) => {
        event.ack();
        event.retry(1);
        event.postpone(1);
        event.ack();
      },
      ack,
    ]);
    expect(answers).toEqual(['ack']);
  });
});
