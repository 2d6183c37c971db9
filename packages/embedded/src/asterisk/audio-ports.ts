import { mark } from '../process/ports';

/** The first and the last port: audio has an even one, its reports the next. */
export interface PortRange {
  start: number;
  end: number;
}

export interface AudioPorts extends PortRange {
  /** Another node may have them. */
  release(): void;
  /** Before the node starts again. If another has got them meanwhile, both use them: its configuration names them. */
  takeAgain(): Promise<void>;
}

// Below the ports of our servers and below those of outgoing connections.
const FIRST = 10_000;
/** Enough for 250 calls with a carrier on the same node. */
const SIZE = 1_500;
const BLOCKS = 10;

/**
 * The ports for the audio of a node. Nodes of one machine have none in common, those of other stacks included: a phone whose node has died
 * goes on sending to the port of its call, and a node that got that port would take it for the phone of a call of its own. Only when all
 * are taken they are shared.
 */
export async function takeAudioPorts(): Promise<AudioPorts> {
  for (let block = 0; block < BLOCKS; block += 1) {
    const start = FIRST + block * SIZE;
    const taken = await take(`audio-${start}`);
    if (taken !== undefined) return { start, end: start + SIZE - 1, ...taken };
  }
  return { start: FIRST, end: FIRST + BLOCKS * SIZE - 1, release: () => undefined, takeAgain: async () => undefined };
}

async function take(name: string): Promise<Pick<AudioPorts, 'release' | 'takeAgain'> | undefined> {
  let unmark = await mark(name);
  if (unmark === undefined) return undefined;
  return {
    release() {
      unmark?.();
      unmark = undefined;
    },
    async takeAgain() {
      unmark ??= await mark(name);
    },
  };
}
