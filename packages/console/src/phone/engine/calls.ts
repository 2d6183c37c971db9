import type { IncomingRTCSessionEvent } from 'jssip/lib/UA';
import { Refusal } from './api';
import type { PhoneAccess, PhoneApi } from './api';
import { readInvitation } from './invitation';
import type { Invitation } from './invitation';
import { createLeg } from './leg';
import type { Leg } from './leg';
import type { KeptCall, Memory } from './memory';
import { MicrophoneError } from './microphone';
import type { EndCause, PhoneCall, PhoneSnapshot } from './snapshot';
import type { Subject } from './observable';

export interface CallsOptions {
  api: PhoneApi;
  subject: Subject<PhoneSnapshot>;
  memory: Memory;
  sound: Sound;
  access: () => PhoneAccess;
  isConnected: () => boolean;
}

/** Microphone, speaker and ringtone. */
export interface Sound {
  /** Rejects with a MicrophoneError. */
  open(): Promise<MediaStream>;
  close(): void;
  play(stream: MediaStream): void;
  ring(rings: boolean): void;
}

const LOOK_MS = 1_000;
/** A leg that the switch was asked for comes within this time, or never. */
const LEG_MS = 15_000;
const hungUp = (code: string): EndCause => ({ kind: 'hangup', code });
const ofPhone = (code: (EndCause & { kind: 'phone' })['code']): EndCause => ({ kind: 'phone', code });

/** The one call that a phone can have, from the first click to its cause in words. */
export function createCalls({ api, subject, memory, sound, access, isConnected }: CallsOptions) {
  let leg: Leg | undefined;
  /** A leg without audio, kept until the switch has put another one in its place: its end would be the end of the call. */
  let lostLeg: Leg | undefined;
  /** The caller's end of a call that is being placed, whose id the API has not told yet. */
  let early: { event: IncomingRTCSessionEvent; callId: string | undefined } | undefined;
  let stream: MediaStream | undefined;
  let look: ReturnType<typeof setTimeout> | undefined;
  let legDue: ReturnType<typeof setTimeout> | undefined;
  /** Differs from call to call, so that a late answer is not taken for the answer to another call. */
  let nth = 0;

  const current = (): PhoneCall | undefined => subject.get().call;
  const ramal = (): string => subject.get().extension?.ramal ?? '';

  function change(changes: Partial<PhoneCall>): void {
    const call = current();
    if (call === undefined) return;
    const changed = { ...call, ...changes };
    subject.update({ call: changed });
    keep(changed);
  }

  /** A new page finds what it needs to bring the user back into the call. */
  function keep({ id, phase, direction, placedElsewhere, number, name, answeredAt, muted }: PhoneCall): void {
    if (id === undefined || phase === 'placing' || phase === 'ringing') return;
    memory.write({
      call: { id, ramal: ramal(), direction, placedElsewhere, number, name, answeredAt, muted },
    });
  }

  function begin(call: Pick<PhoneCall, 'direction' | 'number' | 'phase'> & Partial<PhoneCall>): void {
    nth += 1;
    subject.update({
      lastEnded: undefined,
      call: {
        ...{ id: undefined, placedElsewhere: false, name: undefined, muted: false, held: false, media: 'flowing' },
        ...{ answeredAt: undefined, transferringTo: undefined, quality: undefined },
        ...call,
      },
    });
    sound.ring(call.phase === 'ringing');
  }

  function end(cause: EndCause, message?: string): void {
    const call = current();
    if (call === undefined) return;
    letGo();
    memory.write({ call: undefined });
    const { id, direction, number, name, answeredAt } = call;
    const seconds = answeredAt === undefined ? 0 : Math.round((Date.now() - answeredAt) / 1000);
    subject.update({
      call: undefined,
      lastEnded: { id, direction, number, name, answered: answeredAt !== undefined, seconds, cause, message },
    });
    if (id !== undefined && cause.kind === 'hangup') void refineCause(id);
  }

  function letGo(): void {
    nth += 1;
    clearTimeout(look);
    clearTimeout(legDue);
    leg?.abandon();
    lostLeg?.abandon();
    early?.event.session.terminate();
    leg = lostLeg = early = stream = undefined;
    sound.ring(false);
    sound.close();
  }

  /** The record knows more than the leg: credit that was used up looks like a normal end from here. */
  async function refineCause(id: string): Promise<void> {
    for (let attempt = 0; attempt < 5; attempt++) {
      const record = await api.findCall(id).catch(() => undefined);
      const ended = subject.get().lastEnded;
      if (ended?.id !== id) return;
      if (record?.hangup_cause) return subject.update({ lastEnded: { ...ended, cause: hungUp(record.hangup_cause) } });
      await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
    }
  }

  async function openMicrophone(): Promise<MediaStream | undefined> {
    const mine = nth;
    try {
      const opened = stream ?? (await sound.open());
      if (mine !== nth) return undefined;
      stream = opened;
      return opened;
    } catch (error) {
      if (!(error instanceof MicrophoneError)) throw error;
      if (mine === nth) end(ofPhone('no-microphone'));
      return undefined;
    }
  }

  function attach(event: IncomingRTCSessionEvent): Leg {
    const attached = createLeg({
      event,
      iceServers: access().iceServers,
      isConnected,
      onUp: () => attached === leg && legUp(),
      onSound: (heard) => attached === leg && sound.play(heard),
      onMedia: (media) => attached === leg && change({ media }),
      onEnded: (cause) => attached === leg && legEnded(cause),
      onLost: () => attached === leg && legLost(),
    });
    return attached;
  }

  async function pickUp(event: IncomingRTCSessionEvent): Promise<void> {
    clearTimeout(legDue);
    leg = attach(event);
    const mine = leg;
    const opened = await openMicrophone();
    if (opened !== undefined && mine === leg) mine.answer(opened);
  }

  function legUp(): void {
    const call = current();
    if (call === undefined) return;
    if (call.muted) leg?.setMuted(true);
    lostLeg = undefined;
    if (call.direction === 'outgoing' && call.answeredAt === undefined && call.id !== undefined) return watchAnswer();
    change({ phase: 'talking', held: false, media: 'flowing', answeredAt: call.answeredAt ?? Date.now() });
  }

  function legEnded(cause: string): void {
    leg = undefined;
    const isTransferred = current()?.transferringTo !== undefined && cause === 'NORMAL_CLEARING';
    end(isTransferred ? ofPhone('transferred') : hungUp(cause));
  }

  function legLost(): void {
    lostLeg = leg;
    leg = undefined;
    const call = current();
    if (call?.id === undefined || call.phase === 'ringing') end(ofPhone('lost'));
    else void rejoin(call.id);
  }

  /** Follows the record of a call of ours: only it knows when the other side answers, as our own leg is up from the start. */
  function watchAnswer(): void {
    clearTimeout(look);
    const call = current();
    const mine = nth;
    if (call?.id === undefined || call.phase !== 'calling') return;
    void api
      .findCall(call.id)
      .catch(() => undefined)
      .then((record) => {
        if (mine !== nth || current()?.phase !== 'calling') return;
        if (record?.status === 'answered' && leg !== undefined) change({ phase: 'talking', answeredAt: Date.now() });
        else if (record?.status === 'ended') end(hungUp(record.hangup_cause ?? 'NORMAL_UNSPECIFIED'));
        else look = setTimeout(watchAnswer, LOOK_MS);
      });
  }

  /** The switch calls this phone once more and puts it in the place of its lost leg. */
  async function rejoin(id: string): Promise<void> {
    change({ phase: 'rejoining', media: 'reconnecting', transferringTo: undefined });
    const mine = nth;
    clearTimeout(legDue);
    legDue = setTimeout(() => {
      // The other side would wait for somebody who does not come back.
      void api.hangUp(id).catch(() => undefined);
      end(ofPhone('lost'));
    }, LEG_MS);
    while (mine === nth && current()?.phase === 'rejoining' && leg === undefined) {
      if (isConnected() && (await askBack(id))) return;
      await new Promise((resolve) => setTimeout(resolve, LOOK_MS / 2));
    }
  }

  /** True: the switch is calling, or the call is over. */
  async function askBack(id: string): Promise<boolean> {
    const mine = nth;
    try {
      const record = await api.findCall(id);
      if (mine !== nth) return true;
      if (record === undefined || record.status === 'ended') {
        end(record === undefined ? ofPhone('lost') : hungUp(record.hangup_cause ?? 'NORMAL_UNSPECIFIED'));
        return true;
      }
      if (record.status !== 'answered') return false;
      change({ answeredAt: current()?.answeredAt ?? Date.parse(record.answered_at ?? '') });
      await api.transfer(id, { from: ramal(), to: ramal() });
      return true;
    } catch {
      return false;
    }
  }

  function isExpected({ callId, isOwnCall }: Invitation, call: PhoneCall): boolean {
    if (call.phase === 'placing') return isOwnCall;
    return callId !== undefined && callId === call.id && (call.phase === 'rejoining' || isOwnCall);
  }

  return {
    async place(number: string): Promise<void> {
      if (current() !== undefined) return;
      begin({ direction: 'outgoing', number, phase: 'placing' });
      subject.update({ lastDialled: number });
      memory.write({ lastDialled: number });
      const mine = nth;
      if ((await openMicrophone()) === undefined) return;
      let id: string;
      try {
        ({ id } = await api.placeCall({ extension: ramal(), called: number }));
      } catch (error) {
        if (mine !== nth) return;
        const refusal = error instanceof Refusal ? error : new Refusal('UNKNOWN', String(error));
        return end({ kind: 'refused', code: refusal.code }, refusal.message);
      }
      if (mine !== nth) {
        // Hung up before the API had answered.
        await api.hangUp(id).catch(() => undefined);
        return;
      }
      change({ id, phase: 'calling' });
      const waiting = early;
      early = undefined;
      if (waiting?.callId === id) await pickUp(waiting.event);
      else waiting?.event.session.terminate({ status_code: 486 });
      watchAnswer();
    },

    /** The switch calls this phone. */
    invite(event: IncomingRTCSessionEvent): void {
      const invitation = readInvitation(event.request, access().autoAnswer);
      const call = current();
      const { callId, isOwnCall } = invitation;
      if (call !== undefined && !isExpected(invitation, call)) {
        event.session.terminate({ status_code: 486 });
      } else if (call?.phase === 'placing') {
        early = { event, callId };
      } else if (call !== undefined) {
        void pickUp(event);
      } else {
        const { uri, display_name: name } = event.session.remote_identity;
        const answersItself = isOwnCall && subject.get().answersClickToCall;
        begin({
          id: callId,
          direction: isOwnCall ? 'outgoing' : 'incoming',
          placedElsewhere: isOwnCall,
          number: uri.user,
          name: name === uri.user || !name ? undefined : name,
          phase: answersItself ? 'calling' : 'ringing',
        });
        if (answersItself) void pickUp(event);
        else leg = attach(event);
      }
    },

    async answer(): Promise<void> {
      const answering = leg;
      if (current()?.phase !== 'ringing' || answering === undefined) return;
      sound.ring(false);
      if (current()?.direction === 'outgoing') change({ phase: 'calling' });
      const opened = await openMicrophone();
      if (opened !== undefined && answering === leg) answering.answer(opened);
    },

    hangUp(): void {
      const call = current();
      if (call === undefined) return;
      if (call.phase === 'ringing') {
        leg?.decline();
        leg = undefined;
        return end(ofPhone('declined'));
      }
      // Without a leg the switch has nobody to hear it from.
      if (call.id !== undefined && leg === undefined) void api.hangUp(call.id).catch(() => undefined);
      end(hungUp(call.answeredAt === undefined ? 'ORIGINATOR_CANCEL' : 'NORMAL_CLEARING'));
    },

    setMuted(muted: boolean): void {
      leg?.setMuted(muted);
      change({ muted });
    },

    setHeld(held: boolean): void {
      if (current()?.phase === 'talking' && leg?.setHeld(held)) change({ held });
    },

    sendTone(tone: string): void {
      if (leg !== undefined && current()?.phase !== 'ringing') leg.sendTone(tone);
    },

    /** Resolves when the other extension is being called; it takes the call over when it answers. */
    async transfer(to: string): Promise<void> {
      const call = current();
      if (call?.id === undefined || call.phase !== 'talking') return;
      await api.transfer(call.id, { from: ramal(), to });
      change({ transferringTo: to });
    },

    /** Another microphone was chosen, or the one in use is gone. */
    async changeMicrophone(open: () => Promise<MediaStream>): Promise<void> {
      if (leg === undefined || stream === undefined) return;
      const using = leg;
      stream = await open();
      await using.useMicrophone(stream, current()?.muted ?? false);
    },

    /** A page that was loaded during a call. */
    resume(kept: KeptCall): void {
      const { id, direction, placedElsewhere, number, name, answeredAt, muted } = kept;
      begin({ id, direction, placedElsewhere, number, name, answeredAt, muted, phase: 'rejoining' });
      void rejoin(id);
    },

    reconnected: () => leg?.reconnect(),
    /** The API told that something happened to a call: no need to wait for the next look. */
    notice(callId: string): void {
      if (callId === current()?.id) watchAnswer();
    },
    statistics: async () => (await leg?.statistics()) ?? [],
    setQuality: (quality: PhoneCall['quality']) => change({ quality }),

    /** Another tab goes on with the call. */
    abandon(): void {
      letGo();
      subject.update({ call: undefined, lastEnded: undefined });
    },
  };
}

export type Calls = ReturnType<typeof createCalls>;
