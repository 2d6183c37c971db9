import { healthDefinition } from './health-definition';

const { requestSerialize, requestDeserialize, responseSerialize, responseDeserialize } = healthDefinition.Check;

describe('grpc.health.v1', () => {
  it('has the bytes of the standard', () => {
    expect(requestSerialize({ service: 'db' })).toEqual(Buffer.from([0x0a, 2, 0x64, 0x62]));
    expect(responseSerialize({ status: 'SERVING' })).toEqual(Buffer.from([0x08, 1]));
    expect(responseSerialize({ status: 'NOT_SERVING' })).toEqual(Buffer.from([0x08, 2]));
    expect(responseSerialize({ status: 'SERVICE_UNKNOWN' })).toEqual(Buffer.from([0x08, 3]));
  });

  it('reads what it writes', () => {
    expect(requestDeserialize(requestSerialize({ service: 'sabia.x.v1.X' }))).toEqual({ service: 'sabia.x.v1.X' });
    expect(responseDeserialize(responseSerialize({ status: 'NOT_SERVING' }))).toEqual({ status: 'NOT_SERVING' });
  });

  it('reads absent fields as their defaults, and passes over fields that it does not know', () => {
    expect(requestDeserialize(Buffer.alloc(0))).toEqual({ service: '' });
    expect(responseDeserialize(Buffer.alloc(0))).toEqual({ status: 'UNKNOWN' });
    expect(responseDeserialize(Buffer.from([0x12, 1, 0x78, 0x08, 1]))).toEqual({ status: 'SERVING' });
    expect(responseDeserialize(Buffer.from([0x08, 77]))).toEqual({ status: 'UNKNOWN' });
  });
});
