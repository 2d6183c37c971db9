import { openBareAri } from '../bare-ari';
import { percentile } from '../load';
import { number, openRealCalls } from '../real-calls';
import type { RealCalls } from '../real-calls';
import { withAsterisk } from '../stack';
import type { BenchStack, OpenStack } from '../stack';
import type { TrialEntry } from '../trial';

const samples = 100;
const warmUps = 10;
const p95Target = 60;

const rate = 50;
const seconds = 60;
/** Processes that have just been started are still being compiled. */
const rampUp = { rate: 20, calls: 200 };

/** What calls cost through the real Asterisk, between phones and a carrier that are real to it. */
export function realCalls(openStack: OpenStack): TrialEntry[] {
  const stack = () => withAsterisk(openStack);
  return [
    { name: 'POST /calls → INVITE at the softphone, real Asterisk', run: async () => timeToInvite(await stack()) },
    {
      name: `${rate} calls/s for ${seconds} s through the real Asterisk`,
      run: async (say) => steadyRate(await stack(), say),
    },
  ];
}

/** One at a time, taking turns with the floor, on phones that are in no call. */
async function timeToInvite(stack: BenchStack) {
  const calls = await openRealCalls(stack, 4);
  const ari = await openBareAri(stack.home);
  const floor: number[] = [];
  const product: number[] = [];
  try {
    for (let sample = 0; sample < warmUps + samples; sample += 1) {
      const ramal = calls.ramals[sample % calls.ramals.length]!;
      const bare = await timed(calls, ramal, () => ari.originate(calls.endpointOf(ramal), number));
      await calls.quiet();
      let id = '';
      const ours = await timed(calls, ramal, async () => void (id = await calls.place(ramal)));
      await calls.hangUp(id);
      await calls.quiet();
      // The first ones open connections.
      if (sample >= warmUps) {
        floor.push(bare);
        product.push(ours);
      }
    }
  } finally {
    await Promise.all([calls.close(), ari.close()]);
  }
  const { p95 } = summary(product);
  return {
    floor: `bare ARI originate: ${summary(floor).text}`,
    measured: summary(product).text,
    target: `p95 ≤ ${p95Target} ms`,
    kept: p95 <= p95Target,
  };
}

async function timed(calls: RealCalls, ramal: string, work: () => Promise<void>): Promise<number> {
  const invited = calls.nextInvite(ramal);
  const begun = performance.now();
  const [invitedAt] = await Promise.all([invited, work()]);
  return invitedAt - begun;
}

function summary(times: number[]): { p95: number; text: string } {
  const sorted = [...times].sort((a, b) => a - b);
  const p95 = percentile(sorted, 0.95);
  return { p95, text: `p50 ${percentile(sorted, 0.5).toFixed(1)} ms, p95 ${p95.toFixed(1)} ms` };
}

/** Each must be answered, talk and be ended by the carrier. */
async function steadyRate(stack: BenchStack, say: (line: string) => void) {
  const calls = await openRealCalls(stack, rate);
  try {
    const refusals = await calls.placeMany(rampUp.calls, rampUp.rate, say);
    const begun = performance.now();
    refusals.push(...(await calls.placeMany(rate * seconds, rate, say)));
    const perSecond = (rate * seconds * 1000) / (performance.now() - begun);
    const { whole, failed } = await calls.outcome();
    for (const { cause, duration, calls: count } of failed) say(`  failed: ${count} × ${cause} after ${duration} s`);
    if (refusals.length > 0) say(`  refused: ${refusals.length}, the first: ${refusals[0]}`);
    const wanted = rampUp.calls + rate * seconds;
    return {
      floor: '',
      measured: `${whole} of ${wanted} whole, ${wanted - whole} failed, ${perSecond.toFixed(1)}/s after ${rampUp.calls} calls at ${rampUp.rate}/s`,
      target: `none fails at ${rate}/s`,
      kept: whole === wanted && perSecond > rate * 0.98,
    };
  } finally {
    await calls.close();
  }
}
