import type { Queryable } from '@sabia/service-kit/postgres/database';
import { isAudioFormat } from '../domain/recording-url';
import type { AudioFormat } from '../domain/recording-url';

/** The preferences of an account that calls depend on, as identity publishes them. */
export interface AccountPreferences {
  timeZone: string;
  /** Empty: numbers must be dialled with their area code. */
  areaCode: string;
  recordingFormat: string;
}

/** The newest event wins, in whatever order the events arrive. */
export async function savePreferences(
  db: Queryable,
  { accountId, timeZone, areaCode, recordingFormat, toldAt }: AccountPreferences & { accountId: number; toldAt: Date },
): Promise<void> {
  await db.query(
    `INSERT INTO account_zones AS z (account_id, time_zone, area_code, recording_format, told_at) VALUES ($1, $2, $3, $4, $5)
     ON CONFLICT (account_id) DO UPDATE SET time_zone = excluded.time_zone, area_code = excluded.area_code,
       recording_format = excluded.recording_format, told_at = excluded.told_at
     WHERE z.told_at <= excluded.told_at`,
    [accountId, timeZone, areaCode, recordingFormat, toldAt],
  );
}

/** Undefined: no event of the account has arrived yet. */
export async function findPreferences(
  db: Queryable,
  accountId: number,
): Promise<Pick<AccountPreferences, 'timeZone' | 'areaCode'> | undefined> {
  const [row] = await db.query<{ timeZone: string; areaCode: string }>(
    'SELECT time_zone AS "timeZone", area_code AS "areaCode" FROM account_zones WHERE account_id = $1',
    [accountId],
    { name: 'find-preferences' },
  );
  return row;
}

/** The formats of those accounts that want another one than WAV. */
export async function findRecordingFormats(db: Queryable, accountIds: number[]): Promise<Map<number, AudioFormat>> {
  const rows = await db.query<{ accountId: number; format: string }>(
    `SELECT account_id AS "accountId", recording_format AS format FROM account_zones
     WHERE account_id = ANY ($1::bigint[]) AND recording_format <> 'wav'`,
    [accountIds],
  );
  return new Map(rows.flatMap(({ accountId, format }) => (isAudioFormat(format) ? [[accountId, format]] : [])));
}
