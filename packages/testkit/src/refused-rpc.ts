import { ServiceError } from '@sabia/service-kit/errors';

export interface RefusedRpc {
  kind: ServiceError['kind'];
  code: string;
  message: string;
  /** What is wrong with each field. */
  codes: Record<string, string>;
}

/** What a refused call of a service says; fails itself when the call succeeded or broke. */
export async function refusal(call: Promise<unknown>): Promise<RefusedRpc> {
  const error = await call.then(
    () => {
      throw new Error('the call was not refused');
    },
    (reason: unknown) => reason,
  );
  if (!(error instanceof ServiceError)) throw error;
  const { kind, code, message, violations } = error;
  return { kind, code, message, codes: Object.fromEntries(violations.map((item) => [item.field, item.code])) };
}
