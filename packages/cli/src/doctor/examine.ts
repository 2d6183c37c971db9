import { SabiaError } from '@sabia/client';
import { clientFor } from '../context';
import { examineAccount } from './account';
import type { Finding, Patient } from './finding';
import { examineInstallation } from './installation';
import { examineStack } from './local-stack';

/** Looks at everything between this machine and a call, from the bottom up. */
export async function* examine(patient: Patient): AsyncGenerator<Finding, void, undefined> {
  const { m } = patient.context;
  yield* examineStack(patient);
  const reachable = yield* examineInstallation(patient);
  if (!reachable) return;
  if (patient.token === undefined) {
    yield { state: 'hint', what: m.doctorNoToken, advice: m.logInAdvice };
    return;
  }
  const sabia = clientFor(patient.context, patient.url, patient.token, { retries: 1, timeoutMs: 10_000 });
  try {
    yield* examineAccount(patient.context, sabia);
  } catch (error) {
    if (!(error instanceof SabiaError)) throw error;
    const advice = error.status === 401 ? m.logInAdvice : m.doctorRequest(error.requestId ?? '–');
    yield { state: 'fault', what: `${error.code}: ${error.message}`, advice };
  }
}
