import { status } from '@grpc/grpc-js';
import type { Client } from '@grpc/grpc-js';
import type { RpcTransport } from '../client/unary';
import { grpcError } from '../status';
import type { LinkResponse } from './link';
import { createLinks } from './links';

/** Larger requests are rare, and would delay the others on the stream. */
const LARGEST_REQUEST_BYTES = 256 * 1024;
/** The longest delay that setTimeout() accepts. */
const LONGEST_TIMEOUT_MS = 2 ** 31 - 1;
const noMessage = Buffer.alloc(0);

/** Sends RPCs over streams that they share, and over the plain transport whenever there is no stream for them. */
export function createMultiplexTransport(
  client: Client,
  { plain, isIdempotent }: { plain: RpcTransport; isIdempotent: (path: string) => boolean },
): RpcTransport {
  const links = createLinks(client);

  /** Sent again it is a plain RPC, which the service config may then retry several times. */
  const maySendAgain = ({ code, broken }: LinkResponse, path: string): boolean =>
    broken === 'unsent' || (code === (status.UNAVAILABLE as number) && isIdempotent(path));

  return {
    send(rpc, done) {
      const { path, message, headers, deadline, onReplayed } = rpc;
      const link = message.length > LARGEST_REQUEST_BYTES ? undefined : links.pick();
      const timeoutMs = Math.min(Math.ceil(deadline - Date.now()), LONGEST_TIMEOUT_MS);
      if (link === undefined || timeoutMs < 1) {
        return plain.send(rpc, done);
      }
      let cancelled = false;
      let cancel = link.send({ path, message, timeoutMs, ...headers }, (response) => {
        if (!cancelled && maySendAgain(response, path)) {
          cancel = plain.send(rpc, done);
        } else if (response.code === (status.OK as number)) {
          if (response.replayed) onReplayed?.();
          done(null, response.message);
        } else {
          done(grpcError(response.code, response.details, response.statusDetails), noMessage);
        }
      });
      return () => {
        cancelled = true;
        cancel();
      };
    },
    close() {
      links.close();
      plain.close();
    },
  };
}
