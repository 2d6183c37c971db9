import { HttpError } from '../errors/http-error';
import type { Exchange } from '../http/exchange';

const CONSOLE_HEADER = 'x-sabia-console';
const readOnly = new Set(['GET', 'HEAD']);

/** Tells requests of the gateway's own pages from those that other sites make a browser send. */
export interface OwnPages {
  /** Whether the browser says that the page of another origin made the request. */
  isForeign(exchange: Exchange): boolean;
  /** Throws 403 for a request that a page of another origin may have made. */
  require(exchange: Exchange): void;
}

/**
 * Browsers send the cookie of the console with SameSite=Strict only from this site; this closes what remains: sibling hosts of the
 * same site, and forms, which cannot set a header.
 */
export function createOwnPages({ publicUrl, tls }: { publicUrl: string; tls: boolean }): OwnPages {
  const { origin: publicOrigin, protocol } = new URL(publicUrl);
  const schemes = new Set([protocol, tls ? 'https:' : 'http:']);

  function isOwn(origin: string, host: string | undefined): boolean {
    return origin === publicOrigin || [...schemes].some((scheme) => origin === `${scheme}//${host}`);
  }

  function isForeign({ request: { headers } }: Exchange): boolean {
    const site = headers['sec-fetch-site'];
    return (
      (headers.origin !== undefined && !isOwn(headers.origin, headers.host)) ||
      // "none": the person opened the address, so no page did.
      (site !== undefined && site !== 'same-origin' && site !== 'none')
    );
  }

  return {
    isForeign,
    require(exchange) {
      if (isForeign(exchange)) {
        throw foreignOrigin();
      }
      if (!readOnly.has(exchange.method) && exchange.request.headers[CONSOLE_HEADER] !== '1') {
        throw consoleHeaderRequired();
      }
    },
  };
}

const refused = (code: string, message: string): HttpError => new HttpError(403, 'ForbiddenError', code, message);

const foreignOrigin = (): HttpError =>
  refused('FOREIGN_ORIGIN', 'A session works only from the pages of this gateway; other clients send an access token.');

const consoleHeaderRequired = (): HttpError =>
  refused('CONSOLE_HEADER_REQUIRED', 'A changing request of a session needs the header X-Sabia-Console: 1.');
