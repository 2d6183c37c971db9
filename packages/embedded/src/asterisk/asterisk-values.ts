import { join } from 'node:path';
import type { ConfigurationValues } from '../programs/render';
import type { Secrets } from '../secrets';
import type { PortRange } from './audio-ports';
import { soundLanguage } from './recipe';

export interface AsteriskAddresses {
  sipHost: string;
  sipPort: number;
  httpPort: number;
  testCarrierPort: number;
  /** Where telephony receives copies of SIP messages; 0: none are sent. */
  capturePort: number;
}

export interface AsteriskValuesOptions {
  /** Of its row in sip.switches. */
  name: string;
  folder: string;
  /** Undefined for an Asterisk of the host, which knows its own folders. */
  bundle?: string;
  postgresUrl: string;
  addresses: AsteriskAddresses;
  audio: PortRange;
  secrets: Secrets;
}

export function asteriskValues(options: AsteriskValuesOptions): ConfigurationValues {
  const { name, folder, bundle, postgresUrl, addresses, audio, secrets } = options;
  const { sipHost, sipPort, httpPort, testCarrierPort, capturePort } = addresses;
  const postgres = new URL(postgresUrl);
  return {
    ASTERISK_HOME: folder,
    ASTERISK_NAME: name,
    ASTERISK_MODULES: bundle ? join(bundle, 'lib/asterisk/modules') : '',
    ASTERISK_DATA: bundle ? join(bundle, 'share/asterisk') : '',
    SOUND_LANGUAGE: bundle ? soundLanguage : '',
    POSTGRES_HOST: postgres.hostname,
    POSTGRES_PORT: postgres.port || 5432,
    POSTGRES_DATABASE: decodeURIComponent(postgres.pathname.slice(1)),
    POSTGRES_USER: decodeURIComponent(postgres.username),
    POSTGRES_PASSWORD: decodeURIComponent(postgres.password),
    HTTP_HOST: '127.0.0.1',
    HTTP_PORT: httpPort,
    ARI_PASSWORD: secrets.get('ari'),
    SIP_HOST: sipHost,
    SIP_PORT: sipPort,
    // Audio is bound to all addresses, so SDP would otherwise name the machine's first one.
    SIP_PUBLIC_ADDRESS: sipHost,
    SIP_LOCAL_NET: '',
    // The edges of this machine.
    EDGE_NETWORKS: `${sipHost}/32`,
    SIP_CAPTURE: capturePort === 0 ? '' : `127.0.0.1:${capturePort}`,
    TEST_CARRIER_PORT: testCarrierPort,
    TEST_CARRIER_PASSWORD: secrets.get('test-carrier'),
    RTP_START: audio.start,
    RTP_END: audio.end,
    // Browsers prefer IPv6, where the handshake of their audio with Asterisk sometimes hangs; those of this machine have IPv4, too.
    RTP_HIDDEN_NET: '::/0',
    RTP_LOCAL_ADDRESS: '',
    RTP_PUBLIC_ADDRESS: '',
  };
}
