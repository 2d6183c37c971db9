import type { Queryable } from '@sabia/service-kit/postgres/database';
import type { Call } from '../domain/call';
import type { RecordingUrls } from '../domain/recording-url';
import { findRecordingFormats } from '../storage/account-zones';

/** The links to the recordings of calls, by call id, each in the format that its account has chosen. */
export async function linksOf(
  queryable: Queryable,
  urls: Pick<RecordingUrls, 'urlOf'>,
  calls: Pick<Call, 'id' | 'accountId'>[],
): Promise<Map<string, string>> {
  if (calls.length === 0) {
    return new Map();
  }
  const formats = await findRecordingFormats(queryable, [...new Set(calls.map(({ accountId }) => accountId))]);
  return new Map(calls.map(({ id, accountId }) => [id, urls.urlOf(id, formats.get(accountId))]));
}
