import { createOutbox } from '@sabia/service-kit/events/outbox';
import { createCallProgress } from '../../src/driving/call-progress';
import { createDuties } from '../../src/driving/duties';
import type { DutiesOptions } from '../../src/driving/duties';
import { createSimulatedSwitch } from '../../src/switch/simulated/switch';
import { newAccount, numbers, silent } from '../stage';
import type { Replica, Stage } from '../stage';

export const policy = {
  ...{ ringSeconds: 45, maximumSeconds: 3600, extendSeconds: 60, extendLeadSeconds: 10 },
  ...{ warningSeconds: 0, hangupSeconds: 60 },
};

/** What the switch and billing do when the test drives the call. */
export type DrivenSwitch = { hangUp?: () => Promise<void>; extend?: () => Promise<number> } & Partial<
  Omit<DutiesOptions['callSwitch'], 'hangUp'>
>;

export type Talking = Awaited<ReturnType<typeof openTalking>>;

/** An answered call that only the test drives. */
export async function openTalking(stage: Stage, idle: Replica, { hangUp, extend, ...switched }: DrivenSwitch) {
  const telephony = idle.as(newAccount(stage));
  const { id } = await telephony.placeCall({ extension: '1000', called: numbers.answer });
  const told: string[] = [];
  const callSwitch: DutiesOptions['callSwitch'] = {
    ...{ ...createSimulatedSwitch(), ...switched },
    async hangUp(call) {
      told.push(call.id);
      await hangUp?.();
    },
  };
  const options = { database: stage.sql, callSwitch, policy, log: silent, now: () => new Date() };
  const progress = createCallProgress({
    ...{ ...options, plane: createSimulatedSwitch(), outbox: createOutbox({ poke: () => undefined }) },
    onLinedUp: () => undefined,
    metrics: { answered: () => undefined, ended: () => undefined },
    urls: { urlOf: (callId) => callId },
  });
  await progress.apply({ kind: 'answered', callId: id, at: new Date() });
  const duties = createDuties({ ...options, progress, billing: { extend: extend ?? (async () => 60) } });
  const status = async () => (await telephony.getCall({ id })).call!.status;
  return { telephony, id, told, progress, duties, status };
}
