import { ErrorKind } from '@sabia/protos/sabia/api/v1/error';
import { ServiceError, notFound } from '@sabia/service-kit/errors';
import type { Queryable } from '@sabia/service-kit/postgres/database';
import { isExpired } from '../storage/recording-retention';

/** Why the recording of a call cannot be had. */
export async function missingRecording(queryable: Queryable, callId: string): Promise<ServiceError> {
  return (await isExpired(queryable, callId))
    ? new ServiceError({
        kind: ErrorKind.NOT_FOUND,
        code: 'RECORDING_EXPIRED',
        message: 'The time for which recordings of this account are kept is over for this one.',
      })
    : notFound('recording', callId);
}
