import type { PhoneAccess, PhoneApi } from './api';
import { createCalls } from './calls';
import { createIceRenewal } from './ice-renewal';
import { openLine } from './line';
import type { Line } from './line';
import { createMemory } from './memory';
import { createSubject } from './observable';
import type { Observable } from './observable';
import { watchQuality } from './quality-watch';
import { noDevices } from './snapshot';
import type { Line as LineState, PhoneSnapshot, RefusedReason } from './snapshot';
import { createSoundBox } from './sound';
import { enterTabLock } from '../../tabs/tab-lock';
import type { TabLock } from '../../tabs/tab-lock';

export interface PhoneOptions {
  api: PhoneApi;
  /** The origin of the WebSocket: ws://host or wss://host. */
  origin: string;
  storage: Pick<Storage, 'getItem' | 'setItem'>;
  /** Whose phone it is. */
  user: string;
}

export type Phone = ReturnType<typeof createPhone>;

const ACCESS_RETRY_MS = 5_000;
/** A registration displaces the phone's own earlier one, for instance after a lost connection. */
const OWN_REGISTRATION_MS = 5_000;

/** The phone of the console: one extension, one call at a time. The page shows its snapshot and calls its methods. */
export function createPhone({ api, origin, storage, user }: PhoneOptions) {
  const memory = createMemory(storage, user);
  const { microphoneId, speakerId, answersClickToCall, lastDialled } = memory.read();
  const subject = createSubject<PhoneSnapshot>({
    line: { state: 'loading' },
    extension: undefined,
    microphone: 'unknown',
    call: undefined,
    lastEnded: undefined,
    missed: [],
    lastDialled,
    devices: { ...noDevices, microphoneId, speakerId },
    answersClickToCall,
  });
  let access: PhoneAccess = {
    ...{ extension: null, websocketPath: '', iceServers: [], iceServersExpireAt: null },
    autoAnswer: { header: '', contains: '' },
  };
  let line: Line | undefined;
  let lock: TabLock | undefined;
  let accessRetry: ReturnType<typeof setTimeout> | undefined;
  let endQuality: (() => void) | undefined;
  /** Differs from start to start. */
  let term = 0;

  const sound = createSoundBox({
    subject,
    memory,
    onMicrophoneChange: () => void calls.changeMicrophone(() => sound.reopen()).catch(() => undefined),
  });
  const calls = createCalls({
    api,
    subject,
    memory,
    sound,
    access: () => access,
    isConnected: () => line?.isRegistered ?? false,
  });

  const renewal = createIceRenewal({
    ask: api.access,
    onRenewed: ({ iceServers, iceServersExpireAt }) => (access = { ...access, iceServers, iceServersExpireAt }),
  });

  const setLine = (state: LineState): void => subject.update({ line: state });

  async function start(): Promise<void> {
    const mine = ++term;
    clearTimeout(accessRetry);
    setLine({ state: 'loading' });
    try {
      const given = await api.access();
      if (mine === term) enter(given);
    } catch {
      if (mine !== term) return;
      setLine({ state: 'refused', why: 'api' });
      accessRetry = setTimeout(() => void start(), ACCESS_RETRY_MS);
    }
  }

  function enter(given: PhoneAccess): void {
    access = given;
    renewal.plan(given.iceServersExpireAt);
    if (given.extension === null) return setLine({ state: 'no-extension' });
    const { ramal, domain } = given.extension;
    subject.update({ extension: { ramal, domain }, line: { state: 'connecting' } });
    lock = enterTabLock({ name: `sabia.phone.${ramal}@${domain}`, onHeld: () => void connect(), onLost: leave });
  }

  /** This tab is the phone. */
  async function connect(): Promise<void> {
    const { extension } = access;
    if (extension === null) return;
    const mine = ++term;
    setLine({ state: 'connecting' });
    let wasRegistered = false;
    const opened = await openLine({
      url: origin + access.websocketPath,
      credentials: extension,
      onState(state) {
        if (mine !== term) return;
        setLine(state);
        if (state.state === 'registered' && wasRegistered) calls.reconnected();
        wasRegistered ||= state.state === 'registered';
      },
      onInvitation: (event) => calls.invite(event),
      onRefused: (why) => mine === term && refuse(why),
    });
    if (mine !== term) return opened.stop();
    line = opened;
    const kept = memory.read().call;
    const isOurs = kept?.ramal === extension.ramal && kept.domain === extension.domain;
    if (isOurs && subject.get().call === undefined) calls.resume(kept);
  }

  /** Another tab is the phone from now on, and takes the call of this one over. */
  function leave(): void {
    term += 1;
    line?.silence();
    calls.abandon();
    line?.stop();
    line = undefined;
    setLine({ state: 'elsewhere' });
  }

  function refuse(why: RefusedReason): void {
    disconnect();
    setLine({ state: 'refused', why });
  }

  function disconnect(): void {
    term += 1;
    clearTimeout(accessRetry);
    renewal.stop();
    lock?.release();
    lock = undefined;
    line?.stop();
    line = undefined;
  }

  const onWake = (): void => line?.probe();
  const onVisible = (): void => void (document.visibilityState === 'visible' && line?.probe());

  /** The browser asks whether the page is really to be left. */
  const onLeaving = (event: BeforeUnloadEvent): void => {
    const { call } = subject.get();
    if (call !== undefined && call.phase !== 'ringing') event.preventDefault();
  };

  /** A page that the browser has kept aside has told that it is left, and lost its leg: loaded anew, it comes back into its call. */
  const onShown = ({ persisted }: PageTransitionEvent): void => {
    if (!persisted || subject.get().call === undefined) return;
    window.removeEventListener('beforeunload', onLeaving);
    window.location.reload();
  };

  subject.subscribe(() => {
    const isTalking = subject.get().call?.phase === 'talking';
    if (isTalking) endQuality ??= watchQuality(calls.statistics, calls.setQuality);
    else if (endQuality !== undefined) endQuality = void endQuality();
  });

  return {
    get: subject.get,
    subscribe: subject.subscribe satisfies Observable<PhoneSnapshot>['subscribe'],

    start() {
      window.addEventListener('online', onWake);
      window.addEventListener('beforeunload', onLeaving);
      window.addEventListener('pagehide', calls.leavePage);
      window.addEventListener('pageshow', onShown);
      document.addEventListener('visibilitychange', onVisible);
      void start();
    },
    /** Logged out: the extension is unregistered and the call ended. */
    stop() {
      window.removeEventListener('online', onWake);
      window.removeEventListener('beforeunload', onLeaving);
      window.removeEventListener('pagehide', calls.leavePage);
      window.removeEventListener('pageshow', onShown);
      document.removeEventListener('visibilitychange', onVisible);
      calls.hangUp();
      disconnect();
      sound.stop();
    },
    /** After a refusal, or instead of waiting for the next attempt. */
    retry() {
      if (line === undefined) void start();
      else line.hurry();
    },
    takeOver: () => lock?.steal(),
    async createExtension() {
      enter(await api.createExtension());
    },

    call: calls.place,
    redial() {
      const number = subject.get().lastDialled;
      if (number !== undefined) void calls.place(number);
    },
    answer: calls.answer,
    hangUp: calls.hangUp,
    setMuted: calls.setMuted,
    setHeld: calls.setHeld,
    sendTone: calls.sendTone,
    transfer: calls.transfer,
    dismissEnded: () => subject.update({ lastEnded: undefined }),
    dismissMissed: () => subject.update({ missed: [] }),

    testMicrophone: sound.test,
    endMicrophoneTest: sound.endTest,
    level: sound.level,
    chooseMicrophone: sound.chooseMicrophone,
    chooseSpeaker: sound.chooseSpeaker,
    setAnswersClickToCall(answers: boolean) {
      memory.write({ answersClickToCall: answers });
      subject.update({ answersClickToCall: answers });
    },

    /** A live event about a call has arrived. */
    noticeCall: calls.notice,
    /** A live event says that the extension's softphone was displaced by a newer one. */
    noticeDisplaced(ramal: string, at: number) {
      const isOurs = ramal === subject.get().extension?.ramal && line !== undefined;
      // A phone that has just come back displaces its own former registration, and may hear of that much later.
      if (isOurs && at - line!.registeredAt > OWN_REGISTRATION_MS) refuse('displaced');
    },
  };
}
