import { escapeHtml } from '@sabia/service-kit/brand/html';
import type { SipServer } from './sip-servers';

export interface SipAccount {
  ramal: string;
  domain: string;
  /** The person's name. */
  name: string;
  ha1: string;
}

/**
 * What Linphone reads when it is given a link: its own settings as XML. The digest takes the place of the senha, which never leaves
 * this service that way. Without a server of our own Linphone looks the domain of the account up.
 */
export function linphoneConfig({ ramal, domain, name, ha1 }: SipAccount, server: SipServer | undefined): string {
  const place = server === undefined ? domain : `${server.host}:${server.port}`;
  const proxy = `<sip:${place};transport=${server?.transport ?? 'udp'}>`;
  const sections: Record<string, Record<string, string>> = {
    // The link is good for minutes: Linphone must not remember it and fetch it again at every start.
    misc: { transient_provisioning: '1' },
    sip: { default_proxy: '0' },
    proxy_0: {
      reg_proxy: proxy,
      // The domain of an account need not be a host of its own, so calls go to the same server.
      reg_route: proxy,
      reg_identity: `${displayName(name)}<sip:${ramal}@${domain}>`,
      realm: domain,
      reg_sendregister: '1',
      reg_expires: '600',
      publish: '0',
      avpf: '0',
      dial_escape_plus: '0',
    },
    auth_info_0: { username: ramal, userid: ramal, domain, realm: domain, ha1, algorithm: 'MD5' },
  };
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    '<config xmlns="http://www.linphone.org/xsds/lpconfig.xsd" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" xsi:schemaLocation="http://www.linphone.org/xsds/lpconfig.xsd lpconfig.xsd">',
    ...Object.entries(sections).map(([section, entries]) => writeSection(section, entries)),
    '</config>',
    '',
  ].join('\n');
}

function writeSection(name: string, entries: Record<string, string>): string {
  const lines = Object.entries(entries).map(
    ([entry, value]) => `    <entry name="${entry}" overwrite="true">${escapeHtml(value)}</entry>`,
  );
  return [`  <section name="${name}">`, ...lines, '  </section>'].join('\n');
}

/** A quoted string of SIP, and a space; nothing without a name. Control characters are allowed neither there nor in XML. */
function displayName(name: string): string {
  const text = name.replace(/[\p{Cc}\p{Cs}\uFFFE\uFFFF]/gu, '').trim();
  return text === '' ? '' : `"${text.replace(/["\\]/g, '\\$&')}" `;
}
