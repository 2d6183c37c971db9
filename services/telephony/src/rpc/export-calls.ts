import type { ExportCallsResponse } from '@sabia/protos/sabia/telephony/v1/messages';
import { badRequest } from '@sabia/service-kit/errors';
import { requireCaller } from '@sabia/service-kit/grpc/handler';
import { createCsvLines, csvHeadings } from '../domain/call-csv';
import type { ListedCall } from '../domain/call';
import { isMoreThan, readStretch } from '../storage/call-export';
import { isUuid } from '../storage/calls';
import { readCallFilter } from './call-filter';
import type { Dependencies, Handler } from './dependencies';

const MOST_CALLS = 100_000;
const STRETCH = 1_000;
/** A chunk ends after so much, however long its metadata are: a message has 4 MiB at most. */
const CHUNK_CHARACTERS = 512 * 1024;

export function exportCalls({ database }: Dependencies): Handler<'exportCalls'> {
  return async ({ filter: text, startDate, endDate, cursor }, context) => {
    const { accountId, timeZone } = requireCaller(context);
    const filter = readCallFilter({ timeZone, filter: text, startDate, endDate });
    if (cursor !== undefined && !isUuid(cursor)) {
      throw badRequest('INVALID_FILTER', 'Invalid filter: "cursor" is not one of an export.');
    }
    if (cursor === undefined && (await isMoreThan(MOST_CALLS, database, { accountId, filter }))) {
      const most = MOST_CALLS.toLocaleString('en');
      throw badRequest('EXPORT_TOO_LARGE', `More than ${most} calls match: export a shorter span of time.`);
    }
    const calls = await readStretch(database, { accountId, filter, cursor, limit: STRETCH });
    return write(calls, cursor === undefined ? csvHeadings : '', filter.timeZone);
  };
}

function write(calls: ListedCall[], headings: string, timeZone: string): ExportCallsResponse {
  const lineOf = createCsvLines(timeZone);
  let text = headings;
  let written = 0;
  while (written < calls.length && text.length < CHUNK_CHARACTERS) {
    text += lineOf(calls[written]!);
    written += 1;
  }
  const isLast = written === calls.length && calls.length < STRETCH;
  return { chunk: Buffer.from(text), cursor: isLast ? undefined : calls[written - 1]!.id };
}
