import { ErrorKind } from '@sabia/protos/sabia/api/v1/error';
import type { Extension } from '@sabia/protos/sabia/extensions/v1/messages';
import { ResolveExtensionRequest } from '@sabia/protos/sabia/extensions/v1/messages';
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
  close(): void;
}

export function createExtensionsClient({ address, telemetry }: { address: string; telemetry?: Telemetry }): Extensions {
  const client = createGrpcClient(ExtensionsServiceService, {
    address,
    telemetry,
    idempotentMethods: ['resolveExtension'],
    defaultTimeoutMs: 5_000,
  });
  return {
    async resolve(by) {
      try {
        const { accountId, extension } = await client.resolveExtension(ResolveExtensionRequest.fromPartial(by));
        return extension && { accountId, extension };
      } catch (error) {
        if (error instanceof ServiceError && error.kind === ErrorKind.NOT_FOUND) {
          return undefined;
        }
        throw error;
      }
    },
    close: () => client.close(),
  };
}
