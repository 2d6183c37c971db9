import { ServiceError } from '@sabia/service-kit/errors';

export interface RefusedRpc {
  kind: ServiceError['kind'];
  code: string;
  message: string;
  /** Errors by field. */
  codes: Record<string, string>;
}

/** The error of a refused rpc; throws when the rpc succeeded or its connection failed. */
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
