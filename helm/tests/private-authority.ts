import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Client } from 'pg';
import { generate } from 'selfsigned';

export interface PrivateAuthority {
  /** The bundle that an operator would mount. */
  file: string;
  server: { key: string; cert: string };
}

/** A certificate authority that no system trusts, and the certificate of "localhost" by it. */
export async function createAuthority(folder: string): Promise<PrivateAuthority> {
  const authority = await generate([{ name: 'commonName', value: 'An authority of our own' }], {
    extensions: [
      { name: 'basicConstraints', cA: true, critical: true },
      { name: 'keyUsage', keyCertSign: true, critical: true },
    ],
  });
  const server = await generate([{ name: 'commonName', value: 'localhost' }], {
    ca: { key: authority.private, cert: authority.cert },
    extensions: [{ name: 'subjectAltName', altNames: [{ type: 2, value: 'localhost' }] }],
  });
  const file = join(folder, 'ca.crt');
  writeFileSync(file, authority.cert);
  return { file, server: { key: server.private, cert: server.cert } };
}

/** PostgreSQL writes the files itself: it takes no key that another user owns. */
export async function switchTlsOn(url: string, { key, cert }: PrivateAuthority['server']): Promise<void> {
  const client = new Client({ connectionString: url });
  await client.connect();
  const write = (name: string, text: string) =>
    client.query(
      `COPY (SELECT unnest(string_to_array(${client.escapeLiteral(text.trim().replaceAll('\r', ''))}, E'\\n')))
       TO PROGRAM 'umask 077; cat > ${name}'`,
    );
  await write('server.key', key);
  await write('server.crt', cert);
  await client.query('ALTER SYSTEM SET ssl = on');
  await client.query('SELECT pg_reload_conf()');
  await client.end();
}
