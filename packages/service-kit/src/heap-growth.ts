import { setFlagsFromString } from 'node:v8';

/** Of what a full collection of garbage has left. V8 itself goes that far where it has much memory, and no further than a hundred where it has little. */
const PERCENT = 300;

/**
 * Lets the heap of this process grow to four times its size before V8 collects all of its garbage again.
 *
 * V8 decides anew after each collection, by how fast the collection was, and counts buffers as growth. Most of the work is done
 * by threads beside the main one, so that V8 of Node 20 takes it to cost next to nothing: a service that lists calls then marks
 * its whole heap after every hundred lists or so, on a core that others need (docs/performance.md).
 */
export function letHeapGrow(): void {
  // V8 that does not know the option says so on stderr and goes on.
  setFlagsFromString(`--heap-growing-percent=${PERCENT}`);
}
