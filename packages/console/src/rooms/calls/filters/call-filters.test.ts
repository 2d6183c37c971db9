import fc from 'fast-check';
import { readAddress, toQuery, writeAddress } from './call-filters';
import type { CallFilters } from './call-filters';
import { fields, operators, orders } from './filter-fields';

const text = fc.string({ minLength: 1 });
const conditions = fc.array(
  fc.record({
    field: fc.oneof(
      fc.constantFrom(...Object.keys(fields)),
      text.map((key) => `metadata.${key}`),
      fc.constantFrom('metadata.a-gte', 'metadata.b-eq'),
    ),
    operator: fc.constantFrom(...operators),
    value: text,
  }),
);
const filters: fc.Arbitrary<CallFilters> = fc.record(
  { startDate: text, endDate: text, where: text, order: fc.constantFrom(...orders), conditions },
  { requiredKeys: ['conditions'] },
);

it('keeps every filter in the address bar', () => {
  fc.assert(
    fc.property(filters, (chosen) => {
      expect(readAddress(new URLSearchParams(writeAddress(chosen).toString()))).toEqual(chosen);
    }),
  );
});

it('reads the parameters of the API, and ignores what is no filter', () => {
  const search = new URLSearchParams('ramal=1000&status=ended&startDate=2026-03-01&page=2&%3Cscript%3E=1&order=id');
  expect(readAddress(search)).toEqual({
    startDate: '2026-03-01',
    conditions: [
      { field: 'from', operator: 'eq', value: '1000' },
      { field: 'status', operator: 'eq', value: 'ended' },
    ],
  });
});

it('asks the API for what the chips say', () => {
  const query = (address: string) => toQuery(readAddress(new URLSearchParams(address)));
  expect(query('')).toEqual({});
  expect(query('endDate=2026-03-31&to-has=5%25')).toEqual({
    endDate: '2026-03-31',
    filter: '{"where":{"to":{"ilike":"%5\\\\%%"}}}',
  });
  expect(JSON.parse(query('direction=inbound&duration-between=60,600&where={"or":[]}').filter!)).toEqual({
    where: { and: [{ call_type: 'inbound' }, { duration: { between: ['60', '600'] } }, { or: [] }] },
  });
  expect(JSON.parse(query('metadata.lead-gte=7&metadata.lead=7&recorded=yes').filter!)).toEqual({
    where: { and: [{ 'metadata.lead': { gte: 7 } }, { 'metadata.lead': '7' }, { record_url: { neq: null } }] },
  });
  expect(query('where=nonsense&order=duration DESC')).toEqual({ filter: '{"order":"duration DESC"}' });
});
