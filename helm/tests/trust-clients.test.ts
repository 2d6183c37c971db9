import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import type { AddressInfo, Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createServer as createTlsServer } from 'node:tls';
import { searchPath } from './config';
import { createAuthority } from './private-authority';
import type { PrivateAuthority } from './private-authority';
import { root } from './render';

/** The code of the images, told to reach a server on localhost. */
const clients = {
  NATS: `require('@sabia/service-kit/events/nats/connection').connectNats({ url: 'tls://localhost:' + port, name: 'test', log });`,
  Redis: `require('${root}/gateway/dist/clients/redis').connectRedis('rediss://localhost:' + port, 1000, log);`,
  SMTP: `const sender = require('${root}/services/identity/dist/mail/sender');
    sender.createMailSender({ smtpUrl: 'smtps://localhost:' + port, from: 'a@example.com' })
      .send({ id: '1', to: 'b@example.com', subject: '', text: '', html: '' }).catch(() => undefined);`,
  S3: `const s3 = require('${root}/services/telephony/dist/recordings/s3-client');
    const access = { region: 'r', bucket: 'b', prefix: '', accessKeyId: 'k', secretAccessKey: 's' };
    s3.createS3Client({ endpoint: 'https://localhost:' + port, ...access }).remove('x').catch(() => undefined);`,
};

const preamble = `
  const port = process.argv[1];
  const log = new Proxy({}, { get: () => () => undefined });
  process.on('unhandledRejection', () => undefined);
  setInterval(() => undefined, 1000);
`;

describe('with the certificate of a private authority', () => {
  let folder: string;
  let authority: PrivateAuthority;

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'chart-trust-'));
    authority = await createAuthority(folder);
  });

  afterAll(() => rmSync(folder, { recursive: true }));

  /** Says whether the first client took the certificate. NATS greets in plain text before TLS begins. */
  async function listen(name: string): Promise<{ server: Server; outcome: Promise<string> }> {
    const tls = createTlsServer(authority.server);
    const outcome = new Promise<string>((resolve) => {
      tls.on('secureConnection', () => resolve('taken'));
      tls.on('tlsClientError', () => resolve('refused'));
    });
    const server = createServer((socket) => {
      socket.on('error', () => undefined);
      if (name === 'NATS')
        socket.write('INFO {"server_id":"x","version":"2.12.8","tls_required":true,"max_payload":1}\r\n');
      tls.emit('connection', socket);
    });
    await once(server.listen(0, 'localhost'), 'listening');
    return { server, outcome };
  }

  async function connect(name: keyof typeof clients, env: Record<string, string>): Promise<string> {
    const { server, outcome } = await listen(name);
    const { port } = server.address() as AddressInfo;
    const child = spawn(process.execPath, ['-e', preamble + clients[name], String(port)], {
      cwd: join(root, 'services/identity'),
      env: { PATH: searchPath(), ...env },
    });
    let said = '';
    child.stderr.on('data', (text: Buffer) => (said += text.toString()));
    const died = once(child, 'exit').then(() => `ended: ${said}`);
    try {
      return await Promise.race([outcome, died]);
    } finally {
      child.kill('SIGKILL');
      server.close();
    }
  }

  it.each(Object.keys(clients) as (keyof typeof clients)[])(
    '%s is reached with the bundle, and not without',
    async (name) => {
      expect(readFileSync(authority.file, 'utf8')).toContain('BEGIN CERTIFICATE');
      await expect(connect(name, {})).resolves.toBe('refused');
      await expect(connect(name, { NODE_EXTRA_CA_CERTS: authority.file })).resolves.toBe('taken');
    },
  );
});
