import { z } from 'zod';

/** Where softphones and desk phones register. */
export interface SipServer {
  /** A name or an address; one of IPv6 in brackets. */
  host: string;
  port: number;
  transport: Transport;
}

type Transport = 'udp' | 'tcp' | 'tls';

const address = /^sip:([a-z0-9.-]+|\[[0-9a-f:.]+\])(?::(\d{1,5}))?(?:;transport=(udp|tcp|tls))?$/i;

/** A variable with a comma list of addresses such as sip:sip.example.com:5060;transport=udp, the best first. */
export const sipServersVariable = () =>
  z.string().transform((text, context): SipServer[] => {
    const servers = text.split(',').map((each) => parse(each.trim()));
    if (servers.every((server) => server !== undefined)) {
      return servers;
    }
    context.addIssue('expected addresses such as sip:sip.example.com:5060;transport=udp, separated by commas');
    return z.NEVER;
  });

function parse(text: string): SipServer | undefined {
  const [, host, port, given = 'udp'] = address.exec(text) ?? [];
  if (host === undefined) {
    return undefined;
  }
  const transport = given.toLowerCase() as Transport;
  const number = Number(port ?? (transport === 'tls' ? 5061 : 5060));
  return number >= 1 && number <= 65_535 ? { host: host.toLowerCase(), port: number, transport } : undefined;
}
