import type { IncomingRTCSessionEvent } from 'jssip/lib/UA';
import { Refusal } from './api';
import type { PhoneAccess, PhoneApi } from './api';
import { createCallFollower } from './call-follower';
import { createCallState, hungUp, ofPhone } from './call-state';
import type { CallStateOptions } from './call-state';
import { createCallLeg } from './call-leg';
import type { Sound } from './call-leg';
import { readInvitation } from './invitation';
import type { Invitation } from './invitation';
import type { KeptCall } from './memory';
import type { EndCause, PhoneCall } from './snapshot';

export interface CallsOptions extends CallStateOptions {
  api: PhoneApi;
  sound: Sound;
  access: () => PhoneAccess;
  isConnected: () => boolean;
}

const BUSY_HERE = 486;

/** The call of a phone and its leg, from the first click to the end. */
export function createCalls({ api, subject, memory, sound, access, isConnected }: CallsOptions) {
  const state = createCallState({ subject, memory });
  const { current, change, turn, ramal } = state;
  /** The caller's end of a call that is being placed, whose id the API has not told yet. */
  let early: { event: IncomingRTCSessionEvent; invitation: Invitation } | undefined;
  const leg = createCallLeg({
    sound,
    iceServers: () => access().iceServers,
    isConnected,
    turn,
    onUp: legUp,
    onMedia: (media) => change({ media }),
    onEnded: legEnded,
    onLost: legLost,
    onNoMicrophone: () => end(ofPhone('no-microphone')),
  });
  const follower = createCallFollower({ api, state, isConnected, hasLeg: leg.exists, onOver: end });

  function letGo(): void {
    follower.stop();
    leg.letGo();
    early?.event.session.terminate();
    early = undefined;
  }

  function end(cause: EndCause, message?: string): void {
    const call = current();
    if (call === undefined) return;
    letGo();
    state.end(call, cause, message);
    if (call.id !== undefined && cause.kind === 'hangup') void follower.refineCause(call.id);
  }

  async function pickUp(event: IncomingRTCSessionEvent, { leg: number }: Invitation): Promise<void> {
    follower.legCame();
    change({ leg: number });
    await leg.pickUp(event);
  }

  function legUp(): void {
    const call = current();
    if (call === undefined) return;
    if (call.muted) leg.setMuted(true);
    const isUnanswered = call.direction === 'outgoing' && call.answeredAt === undefined && call.id !== undefined;
    if (isUnanswered) void follower.watchAnswer();
    else change({ phase: 'talking', held: false, media: 'flowing', answeredAt: call.answeredAt ?? Date.now() });
  }

  function legEnded(cause: string): void {
    const isTransferred = current()?.transferringTo !== undefined && cause === 'NORMAL_CLEARING';
    end(isTransferred ? ofPhone('transferred') : hungUp(cause));
  }

  function legLost(): void {
    const call = current();
    if (call?.id === undefined || call.phase === 'ringing') end(ofPhone('lost'));
    else void follower.rejoin(call.id);
  }

  /** The leg of a call that this page has placed, or wants to come back into. */
  function isExpected({ callId, isOwnCall }: Invitation, call: PhoneCall): boolean {
    if (call.phase === 'placing') return isOwnCall;
    return callId !== undefined && callId === call.id && (call.phase === 'rejoining' || isOwnCall);
  }

  /** The caller hears that this phone is busy, and its user sees who has called. */
  function refuse(event: IncomingRTCSessionEvent, { isOwnCall }: Invitation): void {
    event.session.terminate({ status_code: BUSY_HERE });
    if (!isOwnCall) state.miss({ ...callerOf(event), at: Date.now() });
  }

  function beginInvited(event: IncomingRTCSessionEvent, invitation: Invitation): void {
    const { callId, isOwnCall } = invitation;
    const answersItself = isOwnCall && subject.get().answersClickToCall;
    state.begin({
      id: callId,
      leg: invitation.leg,
      direction: isOwnCall ? 'outgoing' : 'incoming',
      placedElsewhere: isOwnCall,
      ...callerOf(event),
      phase: answersItself ? 'calling' : 'ringing',
    });
    if (answersItself) return void pickUp(event, invitation);
    leg.ring(event);
  }

  async function place(number: string): Promise<void> {
    if (current() !== undefined) return;
    state.begin({ direction: 'outgoing', number, phase: 'placing' });
    subject.update({ lastDialled: number });
    memory.write({ lastDialled: number });
    const mine = turn();
    if ((await leg.openMicrophone()) === undefined) return;
    let id: string;
    try {
      ({ id } = await api.placeCall({ extension: ramal(), called: number }));
    } catch (error) {
      if (mine !== turn()) return;
      const { code, message } = error instanceof Refusal ? error : new Refusal('UNKNOWN', String(error));
      return end({ kind: 'refused', code }, message);
    }
    // Hung up before the API had answered.
    if (mine !== turn()) return void api.hangUp(id).catch(() => undefined);
    change({ id, phase: 'calling' });
    const waiting = early;
    early = undefined;
    if (waiting !== undefined && (waiting.invitation.callId ?? id) === id)
      await pickUp(waiting.event, waiting.invitation);
    else waiting?.event.session.terminate({ status_code: BUSY_HERE });
    await follower.watchAnswer();
  }

  return {
    place,

    /** The switch calls this phone. */
    invite(event: IncomingRTCSessionEvent): void {
      const invitation = readInvitation(event.request, access().autoAnswer);
      const call = current();
      if (call === undefined) beginInvited(event, invitation);
      else if (!isExpected(invitation, call)) refuse(event, invitation);
      else if (call.phase === 'placing') early = { event, invitation };
      else void pickUp(event, invitation);
    },

    async answer(): Promise<void> {
      if (current()?.phase !== 'ringing' || !leg.exists()) return;
      sound.ring(false);
      if (current()?.direction === 'outgoing') change({ phase: 'calling' });
      await leg.answer();
    },

    hangUp(): void {
      const call = current();
      if (call?.phase === 'ringing') {
        leg.decline();
        return end(ofPhone('declined'));
      }
      // Without a leg the switch has nobody to hear it from.
      if (call?.id !== undefined && !leg.exists()) void api.hangUp(call.id).catch(() => undefined);
      end(hungUp(call?.answeredAt === undefined ? 'ORIGINATOR_CANCEL' : 'NORMAL_CLEARING'));
    },

    setMuted(muted: boolean): void {
      leg.setMuted(muted);
      change({ muted });
    },

    setHeld(held: boolean): void {
      if (current()?.phase === 'talking' && leg.setHeld(held)) change({ held });
    },

    sendTone(tone: string): void {
      if (current()?.phase !== 'ringing') leg.sendTone(tone);
    },

    /** Resolves when the other extension is being called; it takes the call over when it answers. */
    async transfer(to: string): Promise<void> {
      const call = current();
      if (call?.id === undefined || call.phase !== 'talking') return;
      // Before the request: the other extension may answer, and this leg end, before the response is here.
      change({ transferringTo: to });
      try {
        await api.transfer(call.id, { from: ramal(), to });
      } catch (refused) {
        if (current()?.id === call.id) change({ transferringTo: undefined });
        throw refused;
      }
    },

    /** Another microphone was chosen, or the one in use is gone. */
    changeMicrophone: (open: () => Promise<MediaStream>) => leg.changeMicrophone(open, current()?.muted ?? false),

    /** A page that was loaded during a call. */
    resume({ ramal: _ramal, domain: _domain, ...kept }: KeptCall): void {
      state.begin({ ...kept, phase: 'rejoining' });
      void follower.rejoin(kept.id);
    },

    /**
     * The page is being closed, or loaded anew: which of the two, only the next page knows. Where another extension is being
     * called to take the call over, the API waits for it.
     */
    leavePage(): void {
      const call = current();
      if (call?.id !== undefined && call.phase !== 'ringing') api.leave(call.id, { extension: ramal(), leg: call.leg });
    },

    reconnected: leg.reconnect,
    /** The API told that something happened to a call: no need to wait for the next look. */
    notice: (callId: string) => void (callId === current()?.id && follower.watchAnswer()),
    statistics: leg.statistics,
    setQuality: (quality: PhoneCall['quality']) => change({ quality }),

    abandon(): void {
      letGo();
      state.forget();
    },
  };
}

function callerOf({ session }: IncomingRTCSessionEvent): { number: string; name: string | undefined } {
  const { uri, display_name: name } = session.remote_identity;
  return { number: uri.user, name: name === uri.user || !name ? undefined : name };
}

export type Calls = ReturnType<typeof createCalls>;
