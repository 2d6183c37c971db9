export const metadataKeys = {
  requestId: 'x-request-id',
  caller: 'sabia-caller-bin',
  clientIp: 'sabia-client-ip',
  idempotencyKey: 'idempotency-key',
  replayed: 'idempotent-replayed',
  traceparent: 'traceparent',
  tracestate: 'tracestate',
  statusDetails: 'grpc-status-details-bin',
} as const;
