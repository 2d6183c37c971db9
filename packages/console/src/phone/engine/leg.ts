import type { IncomingRTCSessionEvent } from 'jssip/lib/UA';
import { causeOfReason } from './causes';
import { watchMedia } from './media-watch';

export interface LegOptions {
  event: IncomingRTCSessionEvent;
  iceServers: RTCIceServer[];
  /** The switch can be asked at this moment. A request without a connection would end the session. */
  isConnected: () => boolean;
  onUp: () => void;
  onSound: (stream: MediaStream) => void;
  /** How the audio fares; after a while without it the leg is given up: `onLost`. */
  onMedia: (media: 'flowing' | 'reconnecting') => void;
  /** The other side, or this one, has hung up. */
  onEnded: (cause: string) => void;
  /** The leg broke while the call may well go on at the switch. */
  onLost: () => void;
}

/** This phone's end of a call. The switch always calls the phone, also for calls that the user places: there is one way in. */
export interface Leg {
  answer(stream: MediaStream): void;
  decline(): void;
  /** Ends the leg without telling anybody here. */
  abandon(): void;
  setMuted(muted: boolean): void;
  /** False: the switch cannot be asked at this moment. */
  setHeld(held: boolean): boolean;
  sendTone(tone: string): void;
  useMicrophone(stream: MediaStream, muted: boolean): Promise<void>;
  /** The connection to the switch is back: it must learn over which one this leg can be reached now. */
  reconnect(): void;
  statistics(): Promise<Record<string, unknown>[]>;
}

/** Long enough for the addresses that matter; a STUN server that does not respond would delay the answer by many seconds. */
const GATHERING_MS = 400;
const TONE_MS = 160;
const TONE_GAP_MS = 60;
const BUSY_HERE = 486;
/** JsSIP's names of ends that no party wanted. */
const broken = new Set(['Connection Error', 'Request Timeout', 'WebRTC Error', 'Internal Error', 'RTP Timeout']);

export function createLeg(options: LegOptions): Leg {
  const { session } = options.event;
  let isOver = false;
  let media: ReturnType<typeof watchMedia> | undefined;

  /** A request that fails ends the session, and with it the leg is lost. */
  function renegotiate(iceRestart: boolean): boolean {
    if (isOver || !session.isEstablished() || !options.isConnected()) return false;
    return session.renegotiate({ rtcOfferConstraints: { iceRestart } });
  }

  function follow(connection: RTCPeerConnection): void {
    connection.addEventListener('track', ({ track, streams: [stream] }) =>
      options.onSound(stream ?? new MediaStream([track])),
    );
    // Not hung up: that would end the call, which may go on with another leg.
    media = watchMedia({ connection, renegotiate, onMedia: options.onMedia, onLost: () => finish(options.onLost) });
  }

  function finish(tell: () => void): void {
    if (isOver) return;
    isOver = true;
    media?.close();
    tell();
  }

  function terminate(): void {
    if (!session.isEnded()) session.terminate();
  }

  let gathering: ReturnType<typeof setTimeout> | undefined;
  session.on('icecandidate', ({ ready }) => {
    clearTimeout(gathering);
    gathering = setTimeout(ready, GATHERING_MS);
  });
  session.on('peerconnection', ({ peerconnection }) => follow(peerconnection));
  session.on('confirmed', () => options.onUp());
  for (const name of ['ended', 'failed'] as const) {
    session.on(name, ({ cause, message, originator }) => {
      const isBroken = (originator as string) !== 'remote' && broken.has(cause);
      finish(isBroken ? options.onLost : () => options.onEnded(causeOfReason(message?.getHeader?.('Reason'))));
    });
  }

  return {
    answer(stream) {
      session.answer({ mediaStream: stream, pcConfig: { iceServers: options.iceServers } });
    },
    decline() {
      isOver = true;
      session.terminate({ status_code: BUSY_HERE });
    },
    abandon() {
      finish(() => undefined);
      terminate();
    },
    setMuted: (muted) => (muted ? session.mute({ audio: true }) : session.unmute({ audio: true })),
    setHeld: (held) => options.isConnected() && (held ? session.hold() : session.unhold()),
    sendTone(tone) {
      const [sender] = session.connection.getSenders();
      const transportType = sender?.dtmf?.canInsertDTMF ? 'RFC2833' : 'INFO';
      session.sendDTMF(tone, {
        duration: TONE_MS,
        interToneGap: TONE_GAP_MS,
        transportType: transportType as NonNullable<Parameters<typeof session.sendDTMF>[1]>['transportType'],
      });
    },
    async useMicrophone(stream, muted) {
      const [track] = stream.getAudioTracks();
      const [sender] = session.connection.getSenders();
      if (track === undefined || sender === undefined) return;
      track.enabled = !muted && !session.isOnHold().local;
      await sender.replaceTrack(track);
    },
    reconnect: () => media?.reconnect(),
    async statistics() {
      const report = await session.connection?.getStats();
      return report === undefined ? [] : ([...report.values()] as Record<string, unknown>[]);
    },
  };
}
