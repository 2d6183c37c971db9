import type { Meter, ObservableCallback } from '@opentelemetry/api';
import type { Call, CallStatus } from './domain/call';

export interface CallMetrics {
  answered(call: Pick<Call, 'startedAt' | 'answeredAt'>): void;
  ended(call: Pick<Call, 'type' | 'hangupCause' | 'answeredAt'>): void;
  recording(outcome: 'stored' | 'incomplete' | 'lost'): void;
  /** The driver is asked whenever metrics are read, until the returned function is called. */
  watch(driver: WatchedDriver): () => void;
}

export interface WatchedDriver {
  switchName: string;
  /** This replica drives the switch and reaches it. */
  connected(): boolean;
  /** Empty while another replica drives it. */
  liveCalls(): LiveCallCounts;
}

export type LiveCallCounts = Partial<Record<CallStatus, number>>;

const liveStatuses = ['queued', 'ringing', 'answered'] as const;

export function createCallMetrics(meter: Meter): CallMetrics {
  const ended = meter.createCounter('sabia_calls_ended', {
    description: 'Calls that have ended, by their cause and whether they were answered',
  });
  const answerDelay = meter.createHistogram('sabia_call_answer_delay_seconds', {
    description: 'From the request for a call to the answer of the destination',
    unit: 's',
    advice: { explicitBucketBoundaries: [1, 2, 3, 5, 8, 12, 18, 25, 35, 45, 60, 90] },
  });
  const recordings = meter.createCounter('sabia_recordings', {
    description: 'Recordings that are in the store, whole or not, and those that were given up',
  });
  const live = meter.createObservableGauge('sabia_live_calls', {
    description: 'Calls at present, by status; 0 but from the replica that drives the switch',
  });
  const connection = meter.createObservableGauge('sabia_switch_connected', {
    description: '1 from the replica that drives the switch while it is reached, else 0',
  });
  // The series exist from the start, so that the first loss is seen as an increase.
  recordings.add(0, { outcome: 'stored' });
  recordings.add(0, { outcome: 'incomplete' });
  recordings.add(0, { outcome: 'lost' });

  return {
    answered({ startedAt, answeredAt }) {
      answerDelay.record(Math.max(0, answeredAt!.getTime() - startedAt.getTime()) / 1000);
    },
    ended({ type, hangupCause, answeredAt }) {
      ended.add(1, { call_type: type, cause: hangupCause!, answered: answeredAt !== null });
    },
    recording: (outcome) => recordings.add(1, { outcome }),
    watch({ switchName, connected, liveCalls }) {
      // A series that is no longer observed would keep its last value for ever, so replicas that do not drive report 0.
      const tellConnection: ObservableCallback = (result) =>
        result.observe(connected() ? 1 : 0, { switch: switchName });
      const tellLive: ObservableCallback = (result) => {
        const counts = liveCalls();
        for (const status of liveStatuses) {
          result.observe(counts[status] ?? 0, { status, switch: switchName });
        }
      };
      connection.addCallback(tellConnection);
      live.addCallback(tellLive);
      return () => {
        connection.removeCallback(tellConnection);
        live.removeCallback(tellLive);
      };
    },
  };
}
