import type { Logger } from '@sabia/service-kit/logging';
import type { Database } from '@sabia/service-kit/postgres/database';
import { isOverUnseen } from '../domain/absent-switch';
import type { TimePolicy } from '../domain/live-call';
import { listUndriven, takeStranded } from '../storage/live-calls';
import type { CallProgress } from './call-progress';

export interface Absence {
  /** Called repeatedly by a replica that does not reach the switch. Does nothing while another replica drives it. */
  look(): Promise<void>;
}

export interface AbsenceOptions {
  database: Database;
  switchName: string;
  progress: Pick<CallProgress, 'apply'>;
  policy: TimePolicy;
  /** How long calls stay live while no replica reaches the switch. */
  absenceSeconds: number;
  log: Logger;
  now: () => Date;
}

/** Longer than it takes another replica to begin to drive. */
const PLACING_MS = 5_000;
const BATCH = 500;

/** Looks after the calls of a switch that no replica reaches. */
export function createAbsence(options: AbsenceOptions): Absence {
  const { database, switchName, progress, policy, absenceSeconds, log, now } = options;

  /** Fails new calls soon, so that they do not wait for the switch. */
  async function failNew(): Promise<void> {
    const at = now();
    const before = new Date(at.getTime() - PLACING_MS);
    const callIds = await takeStranded(database, { switchName, before, now: at, limit: BATCH });
    await Promise.all(
      callIds.map((callId) => progress.apply({ kind: 'ended', callId, at, cause: 'NETWORK_OUT_OF_ORDER' })),
    );
  }

  async function endOverdue(): Promise<void> {
    const calls = (await listUndriven(database, switchName)).filter((call) =>
      isOverUnseen(call, { ...policy, absenceSeconds }, now()),
    );
    if (calls.length > 0) {
      log.warn(
        { switch: switchName, calls: calls.length },
        'no replica reaches the switch, calls on it count as ended',
      );
    }
    // The switch may have recorded when they ended; else they ended when it was last seen.
    await Promise.all(
      calls.map((call) => progress.apply({ kind: 'gone', callId: call.id, call, cause: 'NETWORK_OUT_OF_ORDER' })),
    );
  }

  return {
    async look() {
      await failNew();
      await endOverdue();
    },
  };
}
