import type { ExtensionsServiceService } from '@sabia/protos/sabia/extensions/v1/service';
import type { Handlers } from '@sabia/service-kit/grpc/handler';
import { assignNumber } from './assign-number';
import { createExtension } from './create-extension';
import { createNextExtension } from './create-next-extension';
import { createPhone } from './create-phone';
import { createProvisioning } from './create-provisioning';
import { deleteExtension } from './delete-extension';
import type { Dependencies } from './dependencies';
import { getExtension } from './get-extension';
import { getPhone } from './get-phone';
import { listExtensions } from './list-extensions';
import { listNumberClaims } from './list-number-claims';
import { listNumbers } from './list-numbers';
import { openProvisioning } from './open-provisioning';
import { releaseNumber } from './release-number';
import { resolveExtension } from './resolve-extension';
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
    getExtension: getExtension(dependencies),
    getPhone: getPhone(dependencies),
    listExtensions: listExtensions(dependencies),
    listNumberClaims: listNumberClaims(dependencies),
    listNumbers: listNumbers(dependencies),
    openProvisioning: openProvisioning(dependencies),
    releaseNumber: releaseNumber(dependencies),
    resolveExtension: resolveExtension(dependencies),
    upsertExtension: upsertExtension(dependencies),
  };
}
