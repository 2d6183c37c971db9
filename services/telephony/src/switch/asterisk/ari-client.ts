import type { AriEventsOptions } from './ari-events';
import { AriEvents } from './ari-events';
import { AriError, createAriHttp, isGone } from './ari-http';
import { wantedEvents } from './ari-types';
import type {
  AriBridge,
  AriChannel,
  AriRecording,
  BridgeRecording,
  NewChannel,
  OutgoingCall,
  RtpStatistics,
} from './ari-types';

export interface AriClientOptions extends Omit<AriEventsOptions, 'requestEcho' | 'onSilent'> {
  requestTimeoutMs?: number;
  /** See AriHttpOptions. */
  mayAct?: () => boolean;
}

export type AriClient = ReturnType<typeof createAriClient>;

/** Requests to Asterisk and its stream of events. Every request rejects with an AriError. */
export function createAriClient(options: AriClientOptions) {
  const { url, user, password, app, log, onEvent, onConnected, onDisconnected, requestTimeoutMs = 10_000 } = options;
  const http = createAriHttp({ url, user, password, timeoutMs: requestTimeoutMs, mayAct: options.mayAct });
  const events = new AriEvents({
    url,
    user,
    password,
    app,
    log,
    onEvent,
    onDisconnected,
    onReplaced: options.onReplaced,
    pingMs: options.pingMs,
    requestEcho: () => http.request('POST', '/events/user/echo', { application: app }),
    // Requests on other connections will get no response either.
    onSilent: () => http.reset(),
    onConnected: () => {
      // The application exists only from now on, so its filter can be set only now.
      const filter = { allowed: wantedEvents.map((type) => ({ type })) };
      http
        .request('PUT', `/applications/${encodeURIComponent(app)}/eventFilter`, {}, filter)
        .catch((error: unknown) => log.warn({ err: error }, 'Asterisk sends events that are of no use'));
      onConnected?.();
    },
  });
  const channel = (id: string, action = '') => `/channels/${encodeURIComponent(id)}${action}`;
  const bridge = (id: string, action = '') => `/bridges/${encodeURIComponent(id)}${action}`;
  const object = (type: string, id: string) =>
    `/asterisk/config/dynamic/res_pjsip/${encodeURIComponent(type)}/${encodeURIComponent(id)}`;

  return {
    start: () => events.start(),
    async stop(): Promise<void> {
      await events.stop();
      await http.close();
    },
    get isConnected(): boolean {
      return events.isConnected;
    },
    get silentMs(): number {
      return events.silentMs;
    },
    get losses(): number {
      return events.losses;
    },

    /** Undefined: the global variable is not set. */
    async globalVariable(variable: string): Promise<string | undefined> {
      const { value } = await http.request<{ value: string }>('GET', '/asterisk/variable', { variable });
      return value === '' ? undefined : value;
    },

    setGlobalVariable: (variable: string, value: string) =>
      http.request<void>('POST', '/asterisk/variable', { variable, value }),

    ping: () => http.request<{ ping: 'pong'; timestamp: string }>('GET', '/asterisk/ping'),

    /** Calls an endpoint; StasisStart follows when it has answered. An endpoint without a softphone is refused (500). */
    originate: ({ variables, appArgs, ...query }: OutgoingCall) =>
      http.request<AriChannel>(
        'POST',
        '/channels',
        // The dialplan enters the application, and waits for it while nobody is connected.
        { ...query, context: 'from-telephony', extension: 'leg', priority: 1 },
        { variables: { ...variables, SABIA_LEG: [app, ...(appArgs === undefined ? [] : [appArgs])].join(',') } },
      ),
    /** Creates a channel that does not ring yet. It must not be bridged before its StasisStart, which follows at once. */
    createChannel: ({ variables, ...query }: NewChannel) =>
      http.request<AriChannel>('POST', '/channels/create', { ...query, app }, { variables: variables ?? {} }),
    dial: (id: string, query: { caller?: string; timeout?: number }) =>
      http.request<void>('POST', channel(id, '/dial'), query),
    answer: (id: string) => http.request<void>('POST', channel(id, '/answer')),
    ring: (id: string) => http.request<void>('POST', channel(id, '/ring')),
    /** The reason is a Q.850 cause. False: the channel was gone already. */
    hangup: (id: string, reasonCode?: number) =>
      unlessGone(http.request<void>('DELETE', channel(id), { reason_code: reasonCode })),
    play: (id: string, media: string) => http.request<{ id: string }>('POST', channel(id, '/play'), { media }),
    channels: () => http.request<AriChannel[]>('GET', '/channels'),
    rtpStatistics: (id: string) => http.request<RtpStatistics>('GET', channel(id, '/rtp_statistics')),
    setVariable: (id: string, variable: string, value: string) =>
      http.request<void>('POST', channel(id, '/variable'), { variable, value }),
    /** Undefined: the variable is not set, or there is no such channel. */
    async variable(id: string, variable: string): Promise<string | undefined> {
      try {
        const { value } = await http.request<{ value: string }>('GET', channel(id, '/variable'), { variable });
        return value === '' ? undefined : value;
      } catch (error) {
        if (error instanceof AriError && error.status !== undefined) return undefined;
        throw error;
      }
    },

    createBridge: (id: string) => http.request<AriBridge>('POST', '/bridges', { bridgeId: id, type: 'mixing' }),
    addToBridge: (id: string, channelIds: readonly string[]) =>
      http.request<void>('POST', bridge(id, '/addChannel'), { channel: channelIds.join(',') }),
    playOnBridge: (id: string, playback: { media: string; playbackId: string }) =>
      http.request<void>('POST', bridge(id, '/play'), playback),
    stopPlayback: (id: string) => unlessGone(http.request<void>('DELETE', `/playbacks/${encodeURIComponent(id)}`)),
    destroyBridge: (id: string) => unlessGone(http.request<void>('DELETE', bridge(id))),

    recordBridge: (id: string, recording: BridgeRecording) =>
      http.request<AriRecording>('POST', bridge(id, '/record'), { ...recording, ifExists: 'fail', beep: false }),
    recordingFile: (name: string) => http.download(`/recordings/stored/${encodeURIComponent(name)}/file`),
    deleteRecording: (name: string) =>
      unlessGone(http.request<void>('DELETE', `/recordings/stored/${encodeURIComponent(name)}`)),

    /** Creates a PJSIP object in Asterisk's memory (types: sorcery.conf); it takes effect at once and ends with Asterisk. */
    putObject: (type: string, id: string, fields: Record<string, string>) =>
      http.request<unknown>('PUT', object(type, id), {}, { fields: toAttributes(fields) }),
    deleteObject: (type: string, id: string) => unlessGone(http.request<void>('DELETE', object(type, id))),
  };
}

function toAttributes(fields: Record<string, string>): { attribute: string; value: string }[] {
  return Object.entries(fields).map(([attribute, value]) => ({ attribute, value }));
}

async function unlessGone(request: Promise<void>): Promise<boolean> {
  try {
    await request;
    return true;
  } catch (error) {
    if (isGone(error)) return false;
    throw error;
  }
}
