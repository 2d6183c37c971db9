import { status } from '@grpc/grpc-js';
import { SpanStatusCode } from '@opentelemetry/api';
import type { Span } from '@opentelemetry/api';

export function endRpcSpan(span: Span | undefined, code: status): void {
  if (span === undefined) {
    return;
  }
  span.setAttribute('rpc.grpc.status_code', code);
  if (code !== status.OK) {
    span.setStatus({ code: SpanStatusCode.ERROR, message: status[code] });
  }
  span.end();
}
