import { readReason, writeReason } from './reason';
import type { ReasonCode } from './reason';

test.each<[ReasonCode, Record<string, string>]>([
  ['NO_WEBHOOK', {}],
  ['WEBHOOK_REMOVED', {}],
  ['TYPE_NOT_CHOSEN', { type: 'channel-create', types: 'channel-answer, channel-hangup' }],
  ['METADATA_MISSING', { key: 'campaign', wanted: '"march"' }],
  ['METADATA_DIFFERS', { key: 'campaign', found: '{"a":"b; c."}', wanted: '"march; {key}"' }],
  ['RECEIVER_GONE', {}],
  ['FAILED_FOR_DAYS', {}],
  ['OWNER_DELETED', {}],
  ['RECEIVER_REFUSED', { status: '500' }],
  ['REDIRECTED', { status: '302' }],
  ['NO_ANSWER', { seconds: '15' }],
  ['HOST_NOT_PUBLIC', { host: 'crm.example.com' }],
  ['ADDRESS_NOT_PUBLIC', { host: '10.1.2.3' }],
  ['REQUEST_BROKEN', {}],
])('%s is read as it was written', (code, detail) => {
  expect(readReason(writeReason(code, detail))).toEqual({ code, detail });
});

test('a cause is told with its own code', () => {
  const refused = 'The connection was refused. (ECONNREFUSED)';
  expect(readReason(refused)).toEqual({ code: 'REQUEST_FAILED', detail: { error: 'ECONNREFUSED' } });
  expect(readReason(writeReason('GIVEN_UP', { attempts: 12, cause: refused }))).toEqual({
    code: 'GIVEN_UP',
    detail: { attempts: '12', cause: 'REQUEST_FAILED', error: 'ECONNREFUSED' },
  });
  const gone = writeReason('RECEIVER_GONE');
  expect(readReason(writeReason('WEBHOOK_DISABLED', { cause: gone }))).toEqual({
    code: 'WEBHOOK_DISABLED',
    detail: { cause: 'RECEIVER_GONE' },
  });
});

test('a text of another kind has no code', () => {
  expect(readReason('Something else happened.')).toBeUndefined();
});
