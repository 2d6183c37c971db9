import type { ServiceError } from '@sabia/service-kit/errors';
import { maximumMetadataBytes, readCallRequest } from './call-request';
import type { GivenCall } from './call-request';

const good: GivenCall = { extension: '1000', called: '+55 11 5550-0101' };
const read = (given: GivenCall, calledField?: string) => readCallRequest(given, { country: 'BR', calledField });

function refusedFields(given: GivenCall, calledField?: string): Record<string, string> {
  try {
    read(given, calledField);
  } catch (error) {
    const { violations } = error as ServiceError;
    return Object.fromEntries(violations.map(({ field, code }) => [field, code]));
  }
  throw new Error('was not refused');
}

test('a valid request', () => {
  expect(read({ ...good, extension: ' 1000 ', metadata: '{"a": 1.0}' })).toEqual({
    extension: '1000',
    type: 'outbound',
    to: '551155500101',
    called: '+55 11 5550-0101',
    metadata: '{"a": 1.0}',
  });
  expect(read(good).metadata).toBe('{}');
});

test('an extension of the account is called as it is', () => {
  expect(readCallRequest({ ...good, called: '1001' }, { country: 'BR', isInternal: true })).toMatchObject({
    type: 'internal',
    to: '1001',
  });
});

test('all violations are reported together', () => {
  expect(refusedFields({ caller: 'me', metadata: '[]' })).toEqual({
    extension: 'presence',
    called: 'presence',
    caller: 'format',
    metadata: 'type',
  });
  expect(refusedFields({ extension: 'a', called: '12' }, 'phone')).toEqual({ extension: 'format', phone: 'format' });
});

test('metadata is counted in bytes', () => {
  const ofBytes = (count: number) => JSON.stringify({ a: 'é'.repeat((count - 8) / 2) });
  expect(Buffer.byteLength(read({ ...good, metadata: ofBytes(maximumMetadataBytes) }).metadata)).toBe(16384);
  expect(refusedFields({ ...good, metadata: ofBytes(maximumMetadataBytes + 2) })).toEqual({ metadata: 'length' });
});
