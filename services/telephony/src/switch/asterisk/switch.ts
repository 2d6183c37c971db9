import type { Logger } from '@sabia/service-kit/logging';
import type { SwitchNode } from '../../domain/switch-node';
import type { Trunk } from '../../domain/trunk';
import type { LeaseTerm } from '../../storage/lease-fence';
import { q850Of } from '../../domain/hangup-cause';
import type { LiveCall, Side, TransferredLeg } from '../../domain/live-call';
import { SwitchAwayError } from '../port';
import type { CallSwitch, SwitchListener } from '../port';
import { createAriClient } from './ari-client';
import type { AriClient } from './ari-client';
import { createAriHttp, isGone } from './ari-http';
import type { AriChannel, AriEvent, StasisStart } from './ari-types';
import { callOfChannel, extensionOf } from './call-legs';
import type { LegTeller } from './capture/leg-teller';
import { createAsteriskCalls } from './calls';
import type { WayToCarrier } from './carrier-edges';
import type { CarrierRegistration } from './carrier-registration';
import type { AsteriskCalls } from './calls';
import type { DialTurn } from './dial-turn';
import type { NextTrunk } from './next-trunk';
import type { TryCode } from './proof-keys';
import type { SwitchClock } from './switch-clock';
import { declareTrunks } from './trunk-declaration';

export interface AsteriskSwitchOptions {
  node: SwitchNode;
  user: string;
  password: string;
  app: string;
  trunks: readonly Trunk[];
  clock: SwitchClock;
  nextTrunk: NextTrunk;
  wayToCarrier: WayToCarrier;
  dialTurn: DialTurn;
  onTransferred: (by: LeaseTerm, transferred: { callId: string; leg: TransferredLeg }) => Promise<boolean>;
  onTransferFailed: (callId: string, side: Side) => Promise<void>;
  tryCode: TryCode;
  /** When the callee answered, according to the records of the switch. */
  answeredAt: (call: LiveCall) => Promise<Date | undefined>;
  /** Whether the switch has recorded anything of the channel. */
  hasRecord: (channelId: string) => Promise<boolean>;
  registration: (ari: AriClient) => CarrierRegistration;
  /** Is told of channels and their calls, where SIP messages are captured. */
  legs?: Pick<LegTeller, 'see' | 'belongs'>;
  /** See AsteriskConfig. */
  integratedCallHeader?: string;
  maximumSeconds: number;
  ringSeconds: number;
  log: Logger;
  now: () => Date;
}

const PROBE_MS = 1_000;
/** A global variable of the dialplan; set and not 0: the switch takes no new calls. */
const DRAINING = 'SABIA_DRAINING';
/** After this long without a connection another replica should try. */
const AWAY_MS = 2_000;
/** Longer than it takes to admit or refuse a call that began on the switch. */
const ADMISSION_MS = 10_000;
/** The driver ends a call that rings for too long; Asterisk's own limit comes later. */
const DIAL_MARGIN_SECONDS = 10;

interface Line {
  ari: AriClient;
  calls: AsteriskCalls;
  registration: CarrierRegistration;
  listener: SwitchListener;
  away?: NodeJS.Timeout;
  /** Events held back until the calls are reconciled with the switch; then they are handled in order. */
  held?: AriEvent[];
}

export function createAsteriskSwitch(options: AsteriskSwitchOptions): CallSwitch {
  const { node, clock, user, password, trunks, ringSeconds, log, now } = options;
  // A replica on standby asks whether Asterisk can be reached, and does not wait long for the response.
  const probe = createAriHttp({ url: node.ariUrl, user, password, timeoutMs: PROBE_MS });
  let line: Line | undefined;

  async function pulse({ ari }: Line): Promise<Date> {
    const from = now();
    const { timestamp } = await ari.ping();
    clock.compare(new Date(timestamp), { from, to: now() });
    return clock.read(timestamp);
  }

  /** Set on the node itself, before it is stopped: see deploy/asterisk/README.md. */
  async function isDraining({ ari }: Line): Promise<boolean> {
    const value = await ari.globalVariable(DRAINING);
    return value !== undefined && value !== '0';
  }

  function connected(): Line {
    if (line === undefined || !line.ari.isConnected) {
      throw new SwitchAwayError('Asterisk is away');
    }
    return line;
  }

  function open(listener: SwitchListener): Line {
    const ari = createAriClient({
      url: node.ariUrl,
      user,
      password,
      app: options.app,
      log,
      mayAct: () => listener.isEntitled(),
      onEvent: (event) => receive(opened, event),
      onConnected() {
        clearTimeout(opened.away);
        opened.held = [];
        // No call is placed before the trunks exist, and no timestamp is read before the clocks are compared.
        const prepared = [declareTrunks({ ari, trunks, log }), pulse(opened).catch(() => undefined)];
        void Promise.all(prepared).then(() => {
          if (line !== opened || !ari.isConnected) return;
          opened.registration.start();
          listener.onConnected();
        });
      },
      onDisconnected() {
        if (line !== opened) {
          // This replica has stopped: another one drives the calls from now on.
          return;
        }
        log.warn({ switch: node.name }, 'the connection to Asterisk is lost');
        listener.onLost();
        expect(opened, AWAY_MS - ari.silentMs);
      },
    });
    const calls = createAsteriskCalls({
      ari,
      trunks,
      clock,
      tell: (event) => listener.onEvent(event),
      nextTrunk: (call, failover) => options.nextTrunk(listener.term, call, failover),
      wayToCarrier: options.wayToCarrier,
      dialTurn: options.dialTurn,
      onTransferred: (callId, leg) => options.onTransferred(listener.term, { callId, leg }),
      onTransferFailed: options.onTransferFailed,
      tryCode: options.tryCode,
      answeredAt: options.answeredAt,
      hasRecord: options.hasRecord,
      integratedCallHeader: options.integratedCallHeader,
      dialSeconds: ringSeconds + DIAL_MARGIN_SECONDS,
      maximumSeconds: options.maximumSeconds,
      log,
      now,
    });
    const opened: Line = { ari, calls, registration: options.registration(ari), listener };
    return opened;
  }

  /** Also after another process took over the application: the replica that then gets the lease takes it back. */
  function expect(absent: Line, withinMs: number): void {
    absent.away = setTimeout(() => absent.listener.onAbsent(), withinMs);
  }

  /** A channel that began a call so long ago that the call must exist, if it was admitted. */
  function isLeftOver({ dialplan: { app_name: name, app_data: data }, creationtime }: AriChannel): boolean {
    const isOurs = name === 'Stasis' && (data?.startsWith(`${options.app},`) ?? false);
    return isOurs && now().getTime() - Date.parse(creationtime) > ADMISSION_MS;
  }

  function receive(current: Line, event: AriEvent): void {
    const { ari, calls, listener, held } = current;
    if ('channel' in event) options.legs?.see(event.channel, { gone: event.type === 'ChannelDestroyed' });
    if (held !== undefined) {
      held.push(event);
      return;
    }
    if (calls.handle(event)) {
      return;
    }
    if (event.type === 'StasisStart') {
      const from = callerOf(event);
      if (from !== undefined) {
        listener.onIncoming({
          channel: event.channel.id,
          at: clock.read(event.timestamp),
          from,
          dialled: event.args[1] ?? '',
        });
      } else if (line === current) {
        // A leg of an ended call; or, when the switch is being left, one of a call that the next driver goes on with.
        void ari.hangup(event.channel.id).catch(() => undefined);
      }
    } else if (event.type === 'ChannelDestroyed') {
      if (callOfChannel(event.channel.id) === undefined) listener.onCallerGone(event.channel.id);
    } else if (event.type === 'RecordingStarted') {
      listener.onEvent({ kind: 'recording', callId: event.recording.name, at: now(), begun: true });
    } else if (event.type === 'RecordingFinished') {
      calls.recordingFinished(event.recording.name);
      listener.onEvent({ kind: 'recorded', callId: event.recording.name, at: now() });
    } else if (event.type === 'RecordingFailed') {
      listener.onEvent({ kind: 'recording', callId: event.recording.name, at: now(), begun: false });
      calls.recordingFailed(event.recording.name);
    }
  }

  return {
    name: node.name,
    node,
    isReachable: () =>
      probe.request('GET', '/asterisk/ping').then(
        () => true,
        () => false,
      ),
    async start(listener) {
      line = open(listener);
      expect(line, AWAY_MS);
      line.ari.start();
    },
    async settle(atMostMs) {
      if (line?.ari.isConnected) await line.calls.untilDialled(atMostMs);
    },
    async stop() {
      const closing = line;
      line = undefined;
      clearTimeout(closing?.away);
      closing?.calls.close();
      await closing?.registration.stop();
      await closing?.ari.stop();
    },
    async place(call) {
      if (call.aChannel !== null) options.legs?.belongs(call.aChannel, call.id);
      await connected().calls.place(call);
    },
    hangUp: async (call, cause) => connected().calls.hangUp(call, cause),
    transfer: async (call, leg) => connected().calls.transfer(call, leg),
    warn: async (call) => connected().calls.warn(call),
    limit: async (call) => connected().calls.limit(call),
    async pulse() {
      const current = connected();
      const [at, draining] = await Promise.all([pulse(current), isDraining(current)]);
      return { at, isDraining: draining };
    },
    takesCalls: (yes) => line?.registration.setWilling(yes),
    async hold(channel) {
      await connected().ari.ring(channel);
    },
    async refuse(channel, cause) {
      await connected().ari.hangup(channel, q850Of(cause));
    },
    async reconcile(live) {
      const current = connected();
      const { ari, calls, held } = current;
      await calls.settled();
      const channels = new Map((await ari.channels()).map((channel): [string, AriChannel] => [channel.id, channel]));
      const placed = live.filter(({ placedAt }) => placedAt !== null);
      await Promise.all(placed.map((call) => calls.resume(call, channels)));
      const callers = new Set(live.map(({ aChannel }) => aChannel));
      channels.forEach((channel) => options.legs?.see(channel));
      for (const { id, aChannel } of live) if (aChannel !== null) options.legs?.belongs(aChannel, id);
      for (const { aChannel, placedAt } of live) {
        if (aChannel !== null && placedAt === null && !channels.has(aChannel)) current.listener.onCallerGone(aChannel);
      }
      for (const [id, channel] of channels) {
        const callId = callOfChannel(id);
        // Also of a call that goes on: an extension that the former driver called to take a leg over.
        const isOver = callId === undefined ? !callers.has(id) && isLeftOver(channel) : !calls.hasChannel(id);
        if (isOver) await ari.hangup(id);
      }
      if (current.held === held) {
        current.held = undefined;
        held?.forEach((event) => receive(current, event));
      }
    },
    async fetchRecording({ id, answeredAt, endedAt }) {
      try {
        const content = await connected().ari.recordingFile(id);
        const talkedMs = (endedAt?.getTime() ?? 0) - (answeredAt?.getTime() ?? 0);
        return { content, contentType: 'audio/wav', wholeSeconds: Math.max(0, talkedMs) / 1000 };
      } catch (error) {
        if (isGone(error)) return undefined;
        throw error;
      }
    },
    async dropRecording(callId) {
      await connected().ari.deleteRecording(callId);
    },
    close: () => probe.close(),
  };
}

function callerOf({ args: [way], channel }: StasisStart) {
  if (way === 'from-extension') {
    const extension = extensionOf(channel);
    return extension && { extension };
  }
  return way === 'from-trunk' ? { number: channel.caller.number } : undefined;
}
