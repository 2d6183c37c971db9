import type { UA } from 'jssip';
import type { IncomingRTCSessionEvent, OutgoingRTCSessionEvent } from 'jssip/lib/UA';
import { reconnectSeconds, SipSocket } from './sip-socket';
import type { Line as LineState, RefusedReason } from './snapshot';

export interface Credentials {
  ramal: string;
  domain: string;
  senha: string;
}

export interface LineOptions {
  url: string;
  credentials: Credentials;
  onState: (state: LineState) => void;
  onInvitation: (event: IncomingRTCSessionEvent) => void;
  /** The switch does not accept the password. */
  onRefused: (why: RefusedReason) => void;
}

export interface Line {
  readonly isRegistered: boolean;
  /** When the registration was accepted last, by the clock of `Date.now`. */
  readonly registeredAt: number;
  /** Connects at once instead of waiting for the next attempt. */
  hurry(): void;
  /** Checks that the connection still carries anything; one that does not is replaced. */
  probe(): void;
  /** Nothing is sent any more, so that the extension and its call can go on in another tab. */
  silence(): void;
  /** Unregisters and ends every call. */
  stop(): void;
}

const EXPIRES_SECONDS = 300;
const SILENCE_MS = 3_000;
const RETRY_MS = 5_000;
const wrongCredentials = new Set([401, 403, 407]);

/** Registers as an extension and stays registered. JsSIP is loaded here, so that a page without a phone need not. */
export async function openLine({ url, credentials, onState, onInvitation, onRefused }: LineOptions): Promise<Line> {
  const { UA } = await import('jssip');
  const { ramal, domain, senha } = credentials;
  let registeredAt = 0;
  let retry: ReturnType<typeof setTimeout> | undefined;
  let closed = false;

  const socket = new SipSocket({
    url,
    onLost(retryAt) {
      clearTimeout(retry);
      const why = navigator.onLine ? 'connection-lost' : 'offline';
      if (!closed) onState({ state: 'reconnecting', why, retryAt });
    },
  });
  const agent: UA = new UA({
    sockets: socket,
    uri: `sip:${ramal}@${domain}`,
    password: senha,
    register_expires: EXPIRES_SECONDS,
    connection_recovery_min_interval: reconnectSeconds,
    connection_recovery_max_interval: reconnectSeconds,
    user_agent: 'Sabia console',
  });

  agent.on('connecting', ({ attempts }) => attempts === 0 && onState({ state: 'connecting' }));
  agent.on('registered', () => {
    registeredAt = Date.now();
    onState({ state: 'registered' });
  });
  agent.on('registrationFailed', ({ response }) => {
    if (closed) return;
    if (response && wrongCredentials.has(response.status_code)) {
      onRefused('credentials');
    } else if (agent.isConnected()) {
      onState({ state: 'reconnecting', why: 'no-response', retryAt: Date.now() + RETRY_MS });
      clearTimeout(retry);
      retry = setTimeout(() => agent.register(), RETRY_MS);
    }
  });
  agent.on('newRTCSession', (event: IncomingRTCSessionEvent | OutgoingRTCSessionEvent) => {
    if ((event.session.direction as string) === 'incoming') onInvitation(event as IncomingRTCSessionEvent);
  });
  agent.start();

  function probe(): void {
    if (!agent.isConnected()) {
      socket.hurry();
      return;
    }
    const askedAt = Date.now();
    agent.register();
    setTimeout(() => {
      if (!closed && socket.heardAt < askedAt) socket.drop();
    }, SILENCE_MS);
  }

  return {
    get isRegistered() {
      return agent.isRegistered();
    },
    get registeredAt() {
      return registeredAt;
    },
    hurry: () => socket.hurry(),
    probe,
    silence: () => socket.silence(),
    stop() {
      closed = true;
      clearTimeout(retry);
      agent.stop();
    },
  };
}
