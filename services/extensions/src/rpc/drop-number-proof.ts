import { DropNumberProofResponse } from '@sabia/protos/sabia/extensions/v1/numbers';
import { deleteProof } from '../storage/number-proofs';
import type { Dependencies, Handler } from './dependencies';

/** For telephony, which could not place the call. */
export function dropNumberProof({ database }: Dependencies): Handler<'dropNumberProof'> {
  return async ({ id }) => {
    await deleteProof(database, id);
    return DropNumberProofResponse.fromPartial({});
  };
}
