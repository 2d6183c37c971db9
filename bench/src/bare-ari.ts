import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Pool } from 'undici';

export interface BareAri {
  /** Originates a call to an endpoint and hangs up as soon as it is answered. */
  originate(endpoint: string, callerId: string): Promise<void>;
  close(): Promise<void>;
}

/** Asterisk without our services, found through its own configuration. */
export async function openBareAri(home: string): Promise<BareAri> {
  const setting = async (file: string, name: string): Promise<string> => {
    const text = await readFile(join(home, 'asterisk/etc', file), 'utf8');
    return new RegExp(`^${name}\\s*=\\s*(\\S+)`, 'm').exec(text)?.[1] ?? '';
  };
  const origin = `http://${await setting('http.conf', 'bindaddr')}:${await setting('http.conf', 'bindport')}`;
  const password = await setting('ari.conf', 'password');
  const authorization = `Basic ${Buffer.from(`sabia:${password}`).toString('base64')}`;
  const pool = new Pool(origin, { connections: 8 });
  return {
    async originate(endpoint, callerId) {
      const answer = await pool.request({
        ...{ method: 'POST', path: '/ari/channels', headers: { authorization } },
        query: { endpoint, callerId, app: 'bench', timeout: 10 },
      });
      const text = await answer.body.text();
      if (answer.statusCode !== 200) throw new Error(`originate: status ${answer.statusCode}: ${text.slice(0, 200)}`);
    },
    close: () => pool.close(),
  };
}
