import type { Meter } from '@opentelemetry/api';
import { broadcast, broadcastSubject, onBroadcast } from '@sabia/service-kit/events/nats/broadcast';
import type { Nats } from '@sabia/service-kit/events/nats/connection';
import type { Logger } from '@sabia/service-kit/logging';
import type { Database } from '@sabia/service-kit/postgres/database';
import { createPeriodicWork } from '@sabia/service-kit/work/periodic-work';
import { createHepListener } from './hep-listener';
import type { ListeningAddress } from './hep-listener';
import { createLegTeller } from './leg-teller';
import { createMessageBook } from './message-book';
import type { KnownLeg } from './message-book';
import { createSignallingWriter } from './signalling-writer';
import { outlineOf } from './sip-outline';
import { splitMessages } from './sip-stream';

export interface SipCaptureOptions {
  listen: ListeningAddress;
  database: Database;
  nats: Nats;
  meter: Meter;
  log: Logger;
}

const legsSubject = broadcastSubject('telephony.switch.legs');
const ROUND_MS = 500;
/** A clock that is further off is not trusted: a message then has the time at which it came. Longer than one may be on its way. */
const CLOSE_MS = 60_000;

/**
 * Receives copies of the SIP messages of Asterisk and stores those of calls. The copies come to one replica, whichever; the one
 * that drives the switch tells all of them which dialogue belongs to which call.
 */
export function createSipCapture({ listen, database, nats, meter, log }: SipCaptureOptions) {
  const book = createMessageBook({ now: () => performance.now() });
  const signalling = createSignallingWriter({ database, meter, log });

  const listener = createHepListener({
    listen,
    log,
    onMessage({ at, payload }) {
      const arrivedAt = Date.now();
      for (const message of splitMessages(payload)) {
        const outline = outlineOf(message);
        if (outline === undefined) continue;
        book.add(outline.callId, { at: Math.abs(arrivedAt - at) < CLOSE_MS ? at : arrivedAt, ...outline.message });
      }
    },
  });

  const legs = createLegTeller((told) => {
    told.forEach((leg) => book.join(leg));
    // What is lost costs a ladder its times only.
    if (nats.connected) broadcast(nats, legsSubject, Buffer.from(JSON.stringify(told))).catch(() => undefined);
  });

  const writer = createPeriodicWork({
    name: 'SIP messages of calls',
    everyMs: ROUND_MS,
    work: () => signalling.write(book.take()),
    log,
  });
  let stopListening = (): void => undefined;

  return {
    legs,
    start() {
      stopListening = onBroadcast(nats, legsSubject, (bytes) => readLegs(bytes).forEach((leg) => book.join(leg)));
      listener.start();
      writer.start();
    },
    async stop() {
      stopListening();
      listener.stop();
      legs.flush();
      await writer.stop();
      await signalling
        .write(book.take({ all: true }))
        .catch((error: unknown) => log.debug({ err: error }, 'SIP messages were not written'));
    },
  };
}

function readLegs(bytes: Uint8Array): KnownLeg[] {
  try {
    return JSON.parse(Buffer.from(bytes).toString('utf8')) as KnownLeg[];
  } catch {
    return [];
  }
}
