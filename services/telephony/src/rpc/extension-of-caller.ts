import { notFound } from '@sabia/service-kit/errors';
import type { RpcContext } from '@sabia/service-kit/grpc/handler';
import { requireCaller } from '@sabia/service-kit/grpc/handler';
import type { Extension } from '@sabia/protos/sabia/extensions/v1/messages';
import type { Dependencies } from './dependencies';

/** An extension of another account is unknown. */
export async function extensionOfCaller(
  { extensions }: Pick<Dependencies, 'extensions'>,
  context: RpcContext,
  extensionId: number,
): Promise<Extension> {
  const { accountId } = requireCaller(context);
  const resolved = extensionId > 0 ? await extensions.resolve({ accountId, extensionId }) : undefined;
  if (resolved === undefined) {
    throw notFound('extension', extensionId);
  }
  return resolved.extension;
}
