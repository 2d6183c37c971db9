import type { Finding, Patient } from './finding';

const PATIENCE_MS = 10_000;
/** Signatures of webhooks are refused beyond five minutes. */
const CLOCK_TOLERANCE_SECONDS = 60;

/** The gateway, what it depends on, and its clock. The result tells whether it can be asked anything further. */
export async function* examineInstallation({ context, url }: Patient): AsyncGenerator<Finding, boolean, undefined> {
  const { m } = context;
  let response: Response;
  try {
    response = await fetch(`${url}/readyz`, {
      headers: context.config.headers,
      signal: AbortSignal.timeout(PATIENCE_MS),
    });
  } catch (error) {
    const { cause, message } = error as Error & { cause?: { code?: string } };
    yield { state: 'fault', what: m.doctorUnreachable(url, cause?.code ?? message), advice: m.doctorReachAdvice };
    return false;
  }
  const text = await response.text();
  const dependencies = dependenciesIn(text);
  if (dependencies === undefined) {
    yield { state: 'fault', what: m.doctorNotSabia(url), advice: m.doctorReachAdvice };
    return false;
  }
  const away = Object.entries(dependencies).flatMap(([name, state]) => (state === 'up' ? [] : [name]));
  if (away.length > 0) {
    yield { state: response.ok ? 'hint' : 'fault', what: m.doctorAway(away.join(', ')), advice: m.doctorAwayAdvice };
  } else {
    yield { state: 'fine', what: m.doctorReady(Object.keys(dependencies).length) };
  }
  const skew = Math.abs(Date.parse(response.headers.get('date') ?? '') - Date.now()) / 1000;
  if (skew > CLOCK_TOLERANCE_SECONDS) {
    yield { state: 'hint', what: m.doctorClock(Math.round(skew)), advice: m.doctorClockAdvice };
  }
  return response.ok;
}

function dependenciesIn(text: string): Record<string, string> | undefined {
  try {
    return (JSON.parse(text) as { dependencies?: Record<string, string> }).dependencies;
  } catch {
    return undefined;
  }
}
