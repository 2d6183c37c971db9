import { Readable } from 'node:stream';
import type { Call } from '../../domain/call';
import type { HangupCause } from '../../domain/hangup-cause';
import type { LiveCall } from '../../domain/live-call';
import { systemClock } from './clock';
import type { Clock } from './clock';
import type { CallSwitch, RecordedAudio, SwitchEvent, SwitchListener, SwitchPlane } from '../port';
import { behaviourOf } from './numbers';
import { silentWave } from '../../domain/wave';

const node = {
  name: 'simulated',
  ariUrl: '',
  sip: { host: '127.0.0.1', port: 0 },
  capacity: 1_000_000,
};

/** Longer calls get no more audio than this: it is silence anyway. */
const longestAudioSeconds = 60;

/**
 * A switch without media and network. The course of a call follows from its number and times alone, so that another process
 * continues exactly where one has stopped.
 */
export function createSimulatedSwitch({ clock = systemClock }: { clock?: Clock } = {}): CallSwitch & SwitchPlane {
  const plans = new Map<string, () => void>();
  let listener: SwitchListener | undefined;

  const tell = (event: SwitchEvent): void => listener?.onEvent(event);

  /** Runs the action at the given moment; if that has passed, at once, with the time at which it was due. */
  const at = (callId: string, moment: number, action: (at: Date) => void): void => {
    plans.get(callId)?.();
    const callOff = clock.after(moment - clock.now().getTime(), () => {
      plans.delete(callId);
      action(new Date(moment));
    });
    plans.set(callId, callOff);
  };

  const talk = (call: LiveCall, answeredAt: Date): void => {
    if (call.record) {
      tell({ kind: 'recording', callId: call.id, at: answeredAt, begun: true });
    }
    const { endsAfter, cause } = behaviourOf(call.to);
    if (endsAfter !== undefined) {
      at(call.id, answeredAt.getTime() + endsAfter, (endedAt) =>
        tell({ kind: 'ended', callId: call.id, at: endedAt, cause }),
      );
    }
  };

  const plan = (call: LiveCall): void => {
    const { id: callId } = call;
    if (call.answeredAt !== null) {
      talk(call, call.answeredAt);
      return;
    }
    const begin = (call.placedAt ?? call.startedAt).getTime();
    const { answersAfter, endsAfter, cause } = behaviourOf(call.to);
    tell({ kind: 'ringing', callId, at: new Date(begin) });
    if (answersAfter !== undefined) {
      at(callId, begin + answersAfter, (answeredAt) => {
        tell({ kind: 'answered', callId, at: answeredAt });
        talk(call, answeredAt);
      });
    } else if (endsAfter !== undefined) {
      at(callId, begin + endsAfter, (endedAt) => tell({ kind: 'ended', callId, at: endedAt, cause }));
    }
  };

  return {
    name: node.name,
    node,
    recordingSettlesMs: 0,
    isRegistered: async () => true,
    listNodes: async () => [node],
    open() {
      return this;
    },
    isReachable: async () => true,
    async start(newListener) {
      listener = newListener;
      listener.onConnected();
    },
    settle: async () => undefined,
    async stop() {
      listener = undefined;
      plans.forEach((callOff) => callOff());
      plans.clear();
    },
    async place(call) {
      plan(call);
    },
    async hangUp({ id: callId }: LiveCall, cause: HangupCause) {
      plans.get(callId)?.();
      plans.delete(callId);
      tell({ kind: 'ended', callId, at: clock.now(), cause });
    },
    async transfer({ id: callId }, { to }) {
      tell({ kind: 'leg', callId, at: clock.now(), message: 'an extension took over', detail: { extension: to } });
    },
    async warn({ id: callId }) {
      tell({ kind: 'leg', callId, at: clock.now(), message: 'warned of the end' });
    },
    // It lives in the process that drives it: without that no call goes on, and none ends unnoticed.
    limit: async () => undefined,
    historyOf: async () => ({}),
    pulse: async () => ({ at: clock.now(), isDraining: false }),
    takesCalls: () => undefined,
    hold: async () => undefined,
    refuse: async () => undefined,
    async reconcile(calls) {
      calls.filter(({ id, placedAt }) => placedAt !== null && !plans.has(id)).forEach(plan);
    },
    async fetchRecording({ duration }: Call): Promise<RecordedAudio> {
      const seconds = Math.min(duration ?? 0, longestAudioSeconds);
      return { content: Readable.from([silentWave(seconds)]), contentType: 'audio/wav', wholeSeconds: seconds };
    },
    dropRecording: async () => undefined,
    close: async () => undefined,
  };
}
