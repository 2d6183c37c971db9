import { Call, ListCallsResponse } from '@sabia/protos/sabia/telephony/v1/messages';
import { fieldNumber } from './field-number';

test('the number of a field is that of its proto', () => {
  expect(fieldNumber(Call, Call.fromPartial({ id: 'x' }))).toBe(1);
  expect(fieldNumber(Call, Call.fromPartial({ answered_at: new Date(0) }))).toBe(18);
  expect(fieldNumber(Call, Call.fromPartial({ called: 'x' }))).toBe(22);
  expect(fieldNumber(ListCallsResponse, ListCallsResponse.fromPartial({ meta: {} }))).toBe(2);
});

test('a message without a field has no number', () => {
  expect(() => fieldNumber(Call, Call.fromPartial({}))).toThrow(TypeError);
});
