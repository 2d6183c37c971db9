import { IPv4, IPv6 } from 'ipaddr.js';

/** The special-purpose registries of IANA, and all other ranges without hosts of the public Internet. */
const privateBlocks: readonly string[] = [
  '0.0.0.0/8',
  '10.0.0.0/8',
  '100.64.0.0/10', // carrier-grade NAT; also the metadata service of Alibaba Cloud
  '127.0.0.0/8',
  '169.254.0.0/16', // link-local; the metadata services of most clouds
  '172.16.0.0/12',
  '192.0.0.0/24', // also the metadata service of Oracle Cloud
  '192.0.2.0/24',
  '192.31.196.0/24',
  '192.52.193.0/24',
  '192.88.99.0/24',
  '192.168.0.0/16',
  '192.175.48.0/24',
  '198.18.0.0/15',
  '198.51.100.0/24',
  '203.0.113.0/24',
  '168.63.129.16/32', // the host of every Azure machine
  '224.0.0.0/4',
  '240.0.0.0/4', // reserved and broadcast
  '64:ff9b:1::/48',
  '100::/64',
  '2001::/23', // Teredo, ORCHID, benchmarking
  '2001:db8::/32',
  '3fff::/20',
  '5f00::/16',
  'fc00::/7',
  'fe80::/10',
  'fec0::/10',
  'ff00::/8',
];

/** An address that embeds another one leads to that one. */
const carriers: readonly { prefix: readonly number[]; at: number }[] = [
  { prefix: [0, 0, 0, 0, 0, 0, 0, 0, 0, 0], at: 12 }, // ::/80: unspecified, loopback, compatible, mapped
  { prefix: [0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff, 0, 0], at: 12 }, // translated, RFC 2765
  { prefix: [0, 0x64, 0xff, 0x9b, 0, 0, 0, 0, 0, 0, 0, 0], at: 12 }, // NAT64
  { prefix: [0x20, 0x02], at: 2 }, // 6to4
];

const blockedIPv4 = privateBlocks.filter((block) => !block.includes(':')).map((block) => IPv4.parseCIDR(block));
const blockedIPv6 = privateBlocks.filter((block) => block.includes(':')).map((block) => IPv6.parseCIDR(block));

type Address = IPv4 | IPv6;

function parseAddress(text: string): Address | undefined {
  if (IPv4.isValidFourPartDecimal(text)) {
    return IPv4.parse(text);
  }
  return text.includes(':') && IPv6.isValid(text) ? IPv6.parse(text) : undefined;
}

/** For an address in the form that a resolver returns. */
export function isPublicAddress(text: string): boolean {
  const [plain = ''] = text.split('%');
  const address = parseAddress(plain);
  return address !== undefined && isPublic(address);
}

function isPublic(address: Address): boolean {
  if (address instanceof IPv4) {
    return !blockedIPv4.some((block) => address.match(block));
  }
  const bytes = address.toByteArray();
  const carrier = carriers.find(({ prefix }) => prefix.every((byte, index) => bytes[index] === byte));
  if (carrier !== undefined) {
    return isPublic(new IPv4(bytes.slice(carrier.at, carrier.at + 4)));
  }
  // ISATAP: the last 64 bits are [02]00:5efe and an IPv4 address.
  if ((bytes[8]! & 0xfd) === 0 && bytes[9] === 0 && bytes[10] === 0x5e && bytes[11] === 0xfe) {
    return isPublic(new IPv4(bytes.slice(12)));
  }
  // Of all of IPv6 only 2000::/3 has been assigned.
  return (bytes[0]! & 0xe0) === 0x20 && !blockedIPv6.some((block) => address.match(block));
}

const localSuffixes = [
  'localhost',
  'local',
  'internal',
  'intranet',
  'lan',
  'home.arpa',
  'corp',
  'home',
  'test',
  'invalid',
];

/**
 * For the host of a URL as `new URL()` writes it, which has already turned 0x7f.1, 2130706433 and full-width digits into
 * dotted decimals. Of a name only the text is checked here; its addresses are checked on connection.
 */
export function isPublicHost(hostname: string): boolean {
  const literal = hostname.startsWith('[') ? hostname.slice(1, -1) : hostname;
  const address = parseAddress(literal);
  if (address !== undefined) {
    return isPublic(address);
  }
  const name = hostname.toLowerCase().replace(/\.$/, '');
  // A single label is a name of the local network.
  return name.includes('.') && !localSuffixes.some((suffix) => name === suffix || name.endsWith(`.${suffix}`));
}
