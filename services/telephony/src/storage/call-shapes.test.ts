import { readFilter } from '@sabia/service-kit/filter/read-filter';
import { callResource } from './call-resource';
import { isInOrder, isOfOneField, isOfOneWord } from './call-shapes';

const conditionOf = (where: object) => readFilter(callResource, JSON.stringify({ where }), 'UTC').where!;

test.each([
  [{ id: '018bcfe6-5260-7000-8000-000000000001' }, true, false],
  [{ from: '1000' }, true, true],
  [{ date: '2024-01-01' }, true, false],
  [{ and: [{ to: '5511' }, { started_at: { between: ['2024-01-01', '2024-01-02'] } }] }, true, true],
  [{ hangup_cause: 'USER_BUSY', started_at: { gte: '2024-01-01', lt: '2024-01-08' } }, false, true],
  [{ hangup_cause: 'USER_BUSY', call_type: 'outbound', started_at: { gte: '2024-01-01' } }, false, false],
  [{ duration: { gt: 5, lte: 10 } }, false, true],
  [{ ended_at: '2024-01-01' }, false, true],
  [{ hangup_cause: 'USER_BUSY' }, false, true],
  [{ call_price: { gt: 1 } }, false, true],
  [{ first_name: 'Ana' }, false, true],
  // The hashes of words have no order.
  [{ first_name: { gt: 'Ana' } }, false, false],
  [{ from: '1000', to: '5511' }, false, false],
  [{ duration: { gt: 5 }, started_at: { gte: '2024-01-01' } }, false, false],
  // The index of the status holds calls that last, which cannot be told from a parameter; the domain has none.
  [{ status: 'ringing' }, false, false],
  [{ domain: 'd' }, false, false],
  [{ from: { neq: '1000' } }, false, false],
  [{ from: { like: '10%' } }, false, false],
  [{ from: { inq: ['1000', '1001'] } }, false, false],
  [{ or: [{ from: '1000' }, { from: '1001' }] }, false, false],
  [{ 'metadata.leadId': { gt: 5 } }, false, false],
  [{ hangup_cause: null }, false, false],
])('%j: met in order within one index %p, of one field %p', (where, inOrder, ofOneField) => {
  const condition = conditionOf(where);
  expect([isInOrder(condition), isOfOneField(condition)]).toEqual([inOrder, ofOneField]);
});

test('conditions on several fields', () => {
  const condition = conditionOf({ ended_at: '2024-01-01' });
  expect([['ended_at'], ['duration'], []].map((names) => isOfOneField(condition, names))).toEqual([true, false, false]);
});

test.each([
  [{ first_name: 'Ana' }, true],
  [{ BINA: { inq: ['551140000007', '551140000008'] } }, true],
  [{ 'metadata.leadId': 7 }, true],
  [{ metadata: { lead: { tags: ['vip'] } } }, true],
  // The index has no entries for these.
  [{ metadata: { lead: {} } }, false],
  [{ metadata: { lead: { tags: [] } } }, false],
  // Each would be a statement of its own that stays prepared.
  [{ 'metadata.leadId': { inq: [7, 8] } }, false],
  [{ 'metadata.leadId': 7, last_name: 'Sá' }, false],
  [{ or: [{ last_name: 'Sá' }, { first_name: 'Ana' }] }, false],
  [{ 'metadata.leadId': 7, started_at: { gte: '2024-01-01' } }, false],
  [{ first_name: { gt: 'Ana' } }, false],
  [{ first_name: { neq: 'Ana' } }, false],
  [{ 'metadata.leadId': { gt: 5 } }, false],
])('%j: of one word %p', (where, ofOneWord) => {
  expect(isOfOneWord(conditionOf(where))).toBe(ofOneWord);
});
