import { createHmac } from 'node:crypto';
import { z } from 'zod';

/** As RTCPeerConnection takes it. */
export interface IceServer {
  urls: string[];
  username?: string;
  credential?: string;
}

export interface IceConfig {
  servers: IceServer[];
  /** Shared with the TURN servers that have no username of their own: users get credentials that end by themselves. */
  turnSecret?: string;
  credentialSeconds: number;
}

export interface IceOffer {
  servers: IceServer[];
  /** When the short-lived credentials end; undefined: there are none. */
  expiresAt?: Date;
}

const url = z
  .string()
  .regex(/^(stun|stuns|turn|turns):[^\s/?]+(\?transport=(udp|tcp))?$/, 'expected stun:host or turn:host');
const list = z.array(
  z.strictObject({
    urls: z.union([url.transform((single) => [single]), z.array(url).min(1)]),
    username: z.string().min(1).optional(),
    credential: z.string().min(1).optional(),
  }),
);

/** A variable with a JSON array of servers, in the notation of browsers. Error messages never repeat a credential. */
export const iceServersVariable = () =>
  z.string().transform((text, context): IceServer[] => {
    const parsed = list.safeParse(parse(text));
    if (parsed.success) {
      return parsed.data;
    }
    context.addIssue('expected a JSON array such as [{"urls":["stun:stun.example.com"]}]');
    return z.NEVER;
  });

const isTurn = ({ urls }: IceServer): boolean => urls.some((each) => each.startsWith('turn'));

export const needsSecret = (server: IceServer): boolean => isTurn(server) && server.credential === undefined;

/**
 * Username and password of a TURN server for one user, as its REST API has them (coturn: use-auth-secret): the server needs no
 * list of users, and what leaks is worthless after a while.
 */
export function offerIceServers(
  { servers, turnSecret, credentialSeconds }: IceConfig,
  user: string,
  now: Date,
): IceOffer {
  if (turnSecret === undefined || !servers.some(needsSecret)) {
    return { servers };
  }
  const ends = Math.floor(now.getTime() / 1_000) + credentialSeconds;
  const username = `${ends}:${user}`;
  const credential = createHmac('sha1', turnSecret).update(username).digest('base64');
  return {
    servers: servers.map((server) => (needsSecret(server) ? { ...server, username, credential } : server)),
    expiresAt: new Date(ends * 1_000),
  };
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
