import { isPublicAddress, isPublicHost } from './public-address';

const hostOf = (host: string): string => new URL(`http://${host}/`).hostname;

describe('refused, however they are written', () => {
  test.each([
    'localhost',
    'LOCALHOST',
    'localhost.',
    'app.localhost',
    'printer.local',
    'metadata.google.internal',
    'router.lan',
    'router.home.arpa',
    'intranet',
    'db.corp',
    '127.0.0.1',
    '127.1',
    '127.255.255.254',
    '0x7f.0.0.1',
    '0x7f000001',
    '0177.0.0.1',
    '2130706433',
    '017700000001',
    '127.0.0.1.',
    '１２７.０.０.１',
    '127。0。0。1',
    '%31%32%37.0.0.1',
    '0.0.0.0',
    '0',
    '0.1.2.3',
    '10.0.0.1',
    '10.255.255.255',
    '172.16.0.1',
    '172.31.255.255',
    '192.168.0.1',
    '192.168.1',
    '0xc0a80001',
    '169.254.169.254',
    '0xa9fea9fe',
    '2852039166',
    '169.254.170.2',
    '100.64.0.1',
    '100.100.100.200',
    '100.127.255.255',
    '168.63.129.16',
    '192.0.0.192',
    '192.0.2.1',
    '198.18.0.1',
    '198.19.255.255',
    '198.51.100.1',
    '203.0.113.1',
    '192.88.99.1',
    '224.0.0.1',
    '239.255.255.250',
    '240.0.0.1',
    '255.255.255.255',
    '[::]',
    '[::1]',
    '[0:0:0:0:0:0:0:1]',
    '[::ffff:127.0.0.1]',
    '[::ffff:7f00:1]',
    '[::ffff:10.0.0.1]',
    '[::ffff:a9fe:a9fe]',
    '[::127.0.0.1]',
    '[::ffff:0:127.0.0.1]',
    '[64:ff9b::127.0.0.1]',
    '[64:ff9b::a9fe:a9fe]',
    '[64:ff9b:1::1]',
    '[2002:7f00:1::]',
    '[2002:a00:1::1]',
    '[2001::1]',
    '[2001:db8::1]',
    '[2001:20::1]',
    '[3fff::1]',
    '[100::1]',
    '[fc00::1]',
    '[fd00:ec2::254]',
    '[fe80::1]',
    '[fec0::1]',
    '[ff02::1]',
    '[2606:4700::5efe:127.0.0.1]',
    '[4000::1]',
  ])('%s', (host) => {
    expect(isPublicHost(hostOf(host))).toBe(false);
  });
});

describe('let through', () => {
  test.each([
    'example.com',
    'hooks.example.com.',
    'localhost.example.com',
    '8.8.8.8',
    '172.15.0.1',
    '172.32.0.1',
    '100.63.255.255',
    '100.128.0.1',
    '169.253.0.1',
    '223.255.255.254',
    '[2606:4700:4700::1111]',
    '[2800:3f0:4001::1]',
    '[::ffff:8.8.8.8]',
    '[64:ff9b::8.8.8.8]',
    '[2002:808:808::1]',
  ])('%s', (host) => {
    expect(isPublicHost(hostOf(host))).toBe(true);
  });
});

test('what is no address is not public, and a zone does not hide one', () => {
  expect(isPublicAddress('')).toBe(false);
  expect(isPublicAddress('example.com')).toBe(false);
  expect(isPublicAddress('fe80::1%eth0')).toBe(false);
});
