import { PageMeta } from '@sabia/protos/sabia/api/v1/page';
import { encoded, requireCaller } from '@sabia/service-kit/grpc/handler';
import type { Database } from '@sabia/service-kit/postgres/database';
import { encodeCalls } from '../storage/binary-calls';
import { collectCalls } from '../storage/call-rows';
import { listCalls as list } from './call-list';
import type { CallListRequest } from './call-list';
import type { Dependencies, Handler } from './dependencies';
import { toMessage } from './messages';

export function listCalls({ database, binaryRows }: Dependencies): Handler<'listCalls'> {
  return async ({ page = 1, filter, startDate, endDate }, context) => {
    const { accountId, timeZone } = requireCaller(context);
    const request = { accountId, timeZone, filter, startDate, endDate, page };
    return binaryRows ? encoded(await respondInBinary(database, request)) : respond(database, request);
  };
}

async function respond(database: Database, request: CallListRequest) {
  const rows = collectCalls();
  const meta = await list(database, request, rows);
  return { data: rows.calls.map(toMessage), meta };
}

async function respondInBinary(database: Database, request: CallListRequest): Promise<Buffer> {
  const rows = encodeCalls();
  const meta = await list(database, request, rows);
  return rows.finish(PageMeta.encode(meta).finish());
}
