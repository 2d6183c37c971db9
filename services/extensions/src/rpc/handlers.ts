import type { ExtensionsServiceService } from '@sabia/protos/sabia/extensions/v1/service';
import type { Handlers } from '@sabia/service-kit/grpc/handler';
import { assignNumber } from './assign-number';
import { createExtension } from './create-extension';
import { createNextExtension } from './create-next-extension';
import { createPhone } from './create-phone';
import { createProvisioning } from './create-provisioning';
import { deleteExtension } from './delete-extension';
import type { Dependencies } from './dependencies';
import { dropNumberProof } from './drop-number-proof';
import { findNumberProof } from './find-number-proof';
import { getExtension } from './get-extension';
import { getPhone } from './get-phone';
import { listAccountNumbers } from './list-account-numbers';
import { listExtensions } from './list-extensions';
import { listNumberClaims } from './list-number-claims';
import { listNumbers } from './list-numbers';
import { openNumberProof } from './open-number-proof';
import { openProvisioning } from './open-provisioning';
import { releaseNumber } from './release-number';
import { resolveExtension } from './resolve-extension';
import { tryNumberProof } from './try-number-proof';
import { upsertExtension } from './upsert-extension';

/** The implemented rpcs, one file each. An rpc that is missing here answers UNIMPLEMENTED. */
export function createHandlers(dependencies: Dependencies): Handlers<ExtensionsServiceService> {
  return {
    assignNumber: assignNumber(dependencies),
    createExtension: createExtension(dependencies),
    createNextExtension: createNextExtension(dependencies),
    createPhone: createPhone(dependencies),
    createProvisioning: createProvisioning(dependencies),
    deleteExtension: deleteExtension(dependencies),
    dropNumberProof: dropNumberProof(dependencies),
    findNumberProof: findNumberProof(dependencies),
    getExtension: getExtension(dependencies),
    getPhone: getPhone(dependencies),
    listAccountNumbers: listAccountNumbers(dependencies),
    listExtensions: listExtensions(dependencies),
    listNumberClaims: listNumberClaims(dependencies),
    listNumbers: listNumbers(dependencies),
    openNumberProof: openNumberProof(dependencies),
    openProvisioning: openProvisioning(dependencies),
    releaseNumber: releaseNumber(dependencies),
    resolveExtension: resolveExtension(dependencies),
    tryNumberProof: tryNumberProof(dependencies),
    upsertExtension: upsertExtension(dependencies),
  };
}
