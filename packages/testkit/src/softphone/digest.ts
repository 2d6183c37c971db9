import { createHash } from 'node:crypto';

export interface Proof {
  method: string;
  username: string;
  password: string;
}

/** Whether an Authorization or Proxy-Authorization header proves that its sender knows the password (RFC 2617 without qop). */
export function provesPassword(header: string, { method, username, password }: Proof): boolean {
  const field = (name: string) => new RegExp(`${name}="?([^",]+)`).exec(header)?.[1] ?? '';
  const md5 = (text: string) => createHash('md5').update(text).digest('hex');
  const secret = md5(`${username}:${field('realm')}:${password}`);
  return field('response') === md5(`${secret}:${field('nonce')}:${md5(`${method}:${field('uri')}`)}`);
}
