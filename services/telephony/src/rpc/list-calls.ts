import { PageMeta } from '@sabia/protos/sabia/api/v1/page';
import { encoded, requireCaller } from '@sabia/service-kit/grpc/handler';
import type { Database } from '@sabia/service-kit/postgres/database';
import { MessageRows } from '@sabia/service-kit/postgres/message-rows';
import { listCalls as list } from './call-list';
import type { CallListRequest } from './call-list';
import { listedColumns } from '../storage/call-resource';
import type { Dependencies, Handler } from './dependencies';
import { callFields } from './messages';

const columns = listedColumns.map(([name, type]) => ({ type, field: callFields[name] }));
/** Of ListCallsResponse. */
const responseFields = { data: 1, meta: 2 };

export function listCalls({ database }: Dependencies): Handler<'listCalls'> {
  return async ({ page = 1, filter, startDate, endDate }, context) => {
    const { accountId, timeZone } = requireCaller(context);
    const request = { accountId, timeZone, filter, startDate, endDate, page };
    return encoded(await read(database, request));
  };
}

async function read(database: Database, request: CallListRequest): Promise<Buffer> {
  const data = new MessageRows(responseFields.data, columns);
  const meta = await list(database, request, (row) => data.add(row));
  return data.finish(responseFields.meta, PageMeta.encode(meta).finish());
}
