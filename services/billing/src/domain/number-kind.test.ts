import { numberKind } from './number-kind';

test.each([
  ['5511987654321', { country: 'BR', type: 'mobile' }],
  ['551130033030', { country: 'BR', type: 'fixed-line' }],
  ['351912345678', { country: 'PT', type: 'mobile' }],
  ['5511', { country: 'BR' }],
  ['14155550100', { country: 'US' }],
  ['870776000000', {}],
  ['1', {}],
])('%s', (digits, kind) => {
  expect(numberKind(digits)).toEqual(kind);
});
