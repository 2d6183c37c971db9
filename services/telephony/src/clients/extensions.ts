import { ErrorKind } from '@sabia/protos/sabia/api/v1/error';
import type { Extension } from '@sabia/protos/sabia/extensions/v1/messages';
import { ResolveExtensionRequest } from '@sabia/protos/sabia/extensions/v1/messages';
import { NumberProofVerdict } from '@sabia/protos/sabia/extensions/v1/numbers';
import type {
  FindNumberProofRequest,
  FindNumberProofResponse,
  OpenNumberProofRequest,
  OpenNumberProofResponse,
} from '@sabia/protos/sabia/extensions/v1/numbers';
import { ExtensionsServiceService } from '@sabia/protos/sabia/extensions/v1/service';
import { ServiceError } from '@sabia/service-kit/errors';
import { createGrpcClient } from '@sabia/service-kit/grpc/client';
import type { Telemetry } from '@sabia/service-kit/telemetry';

export interface ResolvedExtension {
  accountId: number;
  extension: Extension;
}

export interface Extensions {
  /** Undefined: there is no such extension. */
  resolve(by: Partial<ResolveExtensionRequest>): Promise<ResolvedExtension | undefined>;
  /** Rejects with the reason if the number may not be proven. The response has the code in clear. */
  openProof(proof: OpenNumberProofRequest): Promise<OpenNumberProofResponse>;
  dropProof(id: string): Promise<void>;
  /** Undefined: the account has no such proof. */
  findProof(proof: FindNumberProofRequest): Promise<FindNumberProofResponse | undefined>;
  tryCode(id: string, code: string): Promise<'right' | 'wrong' | 'over'>;
  close(): void;
}

export function createExtensionsClient({ address, telemetry }: { address: string; telemetry?: Telemetry }): Extensions {
  const client = createGrpcClient(ExtensionsServiceService, {
    address,
    telemetry,
    idempotentMethods: ['resolveExtension', 'dropNumberProof', 'findNumberProof'],
    defaultTimeoutMs: 5_000,
  });
  return {
    async resolve(by) {
      const found = await ifFound(client.resolveExtension(ResolveExtensionRequest.fromPartial(by)));
      return found?.extension && { accountId: found.accountId, extension: found.extension };
    },
    openProof: (proof) => client.openNumberProof(proof),
    async dropProof(id) {
      await client.dropNumberProof({ id });
    },
    findProof: (proof) => ifFound(client.findNumberProof(proof)),
    async tryCode(id, code) {
      const { verdict } = await client.tryNumberProof({ id, code });
      return verdicts[verdict] ?? 'over';
    },
    close: () => client.close(),
  };
}

const verdicts: Partial<Record<NumberProofVerdict, 'right' | 'wrong' | 'over'>> = {
  [NumberProofVerdict.RIGHT]: 'right',
  [NumberProofVerdict.WRONG]: 'wrong',
};

async function ifFound<Response>(response: Promise<Response>): Promise<Response | undefined> {
  try {
    return await response;
  } catch (error) {
    if (error instanceof ServiceError && error.kind === ErrorKind.NOT_FOUND) {
      return undefined;
    }
    throw error;
  }
}
