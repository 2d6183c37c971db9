import { createSocket } from 'node:dgram';
import { promises as dns } from 'node:dns';
import { NameServer } from './name-server';

const targets = [{ host: 'node-1.test', port: 5060 }];

describe('the name server of tests', () => {
  let server: NameServer;

  beforeEach(async () => {
    server = await NameServer.start();
    server.setTargets('_sip._udp.nodes.test', targets);
  });

  afterEach(() => server.stop());

  it('answers with the targets of a name, and says which names it does not know', async () => {
    await expect(dns.resolveSrv('_sip._udp.nodes.test')).resolves.toMatchObject([{ name: 'node-1.test', port: 5060 }]);
    await expect(dns.resolveSrv('_sip._udp.other.test')).rejects.toMatchObject({ code: 'ENOTFOUND' });
    expect(server.asked).toBe(2);
  });

  it('passes over what is no question: its port may have been that of a phone', async () => {
    const [host = '', port] = dns.getServers()[0]!.split(':');
    const phone = createSocket('udp4');
    const strays = [Buffer.from('OPTIONS sip:1000@127.0.0.1 SIP/2.0\r\n'.padEnd(288, ' ')), Buffer.alloc(3)];
    for (const stray of strays) {
      await new Promise((resolve) => phone.send(stray, Number(port), host, resolve));
    }
    phone.close();
    await expect(dns.resolveSrv('_sip._udp.nodes.test')).resolves.toHaveLength(1);
    expect(server.asked).toBe(1);
  });
});
