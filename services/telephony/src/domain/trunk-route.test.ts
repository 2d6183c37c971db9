import fc from 'fast-check';
import type { Trunk } from './trunk';
import { createRoutes } from './trunk-route';

const trunk = (name: string, rest: Partial<Trunk> = {}): Trunk => ({ name, format: 'e164', ...rest });
const names = (trunks: Trunk[], digits: string) => createRoutes(trunks)(digits).map(({ name }) => name);

test('without priorities and routes trunks are tried in the order of the configuration', () => {
  expect(names([trunk('b'), trunk('a'), trunk('c')], '5511988887777')).toEqual(['b', 'a', 'c']);
});

test('only trunks that serve the destination are tried', () => {
  const trunks = [trunk('mobile', { routes: [{ prefix: '55119' }] }), trunk('abroad', { routes: [{ prefix: '1' }] })];
  expect(names(trunks, '5511988887777')).toEqual(['mobile']);
  expect(names(trunks, '12125550100')).toEqual(['abroad']);
  expect(names(trunks, '351211234567')).toEqual([]);
});

test('the cheapest of equal priority is tried first, by the price of its longest prefix', () => {
  const trunks = [
    trunk('flat', { routes: [{ prefix: '', costPerMinute: 0.1 }] }),
    trunk('national', {
      routes: [
        { prefix: '55', costPerMinute: 0.05 },
        { prefix: '55119', costPerMinute: 0.2 },
      ],
    }),
    trunk('unpriced'),
    trunk('spare', { priority: 1, routes: [{ prefix: '55', costPerMinute: 0 }] }),
  ];
  expect(names(trunks, '551140028922')).toEqual(['national', 'flat', 'unpriced', 'spare']);
  expect(names(trunks, '5511988887777')).toEqual(['flat', 'national', 'unpriced', 'spare']);
});

const anyTrunks = fc
  .array(
    fc.record(
      {
        priority: fc.integer({ min: 0, max: 3 }),
        routes: fc.uniqueArray(
          fc.record(
            { prefix: fc.stringMatching(/^[12]{0,4}$/), costPerMinute: fc.integer({ min: 0, max: 3 }) },
            { requiredKeys: ['prefix'] },
          ),
          { selector: ({ prefix }) => prefix, minLength: 1, maxLength: 4 },
        ),
      },
      { requiredKeys: [] },
    ),
    { maxLength: 6 },
  )
  .map((all) => all.map((rest, index) => trunk(`t${index}`, rest)));

test('a route has every trunk that serves the number once, never a dearer one before a cheaper one of the same priority', () => {
  fc.assert(
    fc.property(anyTrunks, fc.stringMatching(/^[12]{5}$/), (trunks, digits) => {
      const route = createRoutes(trunks)(digits);
      const serves = ({ routes }: Trunk) => routes?.some(({ prefix }) => digits.startsWith(prefix)) ?? true;
      expect(new Set(route)).toEqual(new Set(trunks.filter(serves)));
      const ranks = route.map((each) => {
        const matching = (each.routes ?? []).filter(({ prefix }) => digits.startsWith(prefix));
        const longest = Math.max(...matching.map(({ prefix }) => prefix.length));
        const cost = matching.find(({ prefix }) => prefix.length === longest)?.costPerMinute ?? 1_000;
        return [each.priority ?? 0, cost, trunks.indexOf(each)] as const;
      });
      const inOrder = [...ranks].sort((one, other) => one[0] - other[0] || one[1] - other[1] || one[2] - other[2]);
      expect(ranks).toEqual(inOrder);
    }),
  );
});
