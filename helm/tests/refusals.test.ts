import { minimal, overlay, refusal, valueSets } from './render';
import type { Values } from './render';

const bare: Values = valueSets['edge-bare'] ?? {};

/** Mistake in the values → Helm's message. */
const refused: [string, Values, RegExp][] = [
  ['nothing at all', {}, /at '': missing properties 'publicUrl', 'accountDomainSuffix'/],
  ['an unknown value', minimal({ replicas: 3 }), /additional properties 'replicas' not allowed/],
  [
    'an unknown service',
    minimal({ services: { idenity: {} } }),
    /at '\/services': additional properties 'idenity' not allowed/,
  ],
  [
    'an unknown value of a service',
    minimal({ services: { identity: { replica: 3 } } }),
    /at '\/services\/identity': additional properties 'replica' not allowed/,
  ],
  [
    'a number in words',
    minimal({ gateway: { replicas: 'two' } }),
    /at '\/gateway\/replicas': got string, want integer/,
  ],
  ...[
    { env: { DEMO_ENTRY_KEY: 'a key of the demo' } },
    { secrets: { DEMO_ENTRY_KEY: 'nats-url' } },
    { extraEnv: [{ name: 'DEMO_ENTRY_FILE', value: '/demo.json' }] },
  ].map((gateway): [string, Values, RegExp] => [
    `a link that enters as the demo user, in ${Object.keys(gateway)[0]}`,
    minimal({ gateway }),
    /gateway: DEMO_ENTRY_\w+ is a link that lets everyone in without a password/,
  ]),
  ['less than no pods', minimal({ defaults: { replicas: -1 } }), /at '\/defaults\/replicas': minimum/],
  [
    'a variable that is no text',
    minimal({ services: { identity: { env: { LOGIN_FAILURES_PER_IP: 5 } } } }),
    /at '\/services\/identity\/env\/LOGIN_FAILURES_PER_IP': got number, want string/,
  ],
  [
    'a call to an unknown service',
    minimal({ services: { billing: { calls: ['bank'] } } }),
    /at '\/services\/billing\/calls\/0': value must be one of 'identity'/,
  ],
  [
    'a place that does not exist',
    minimal({ services: { billing: { reaches: ['bank'] } } }),
    /billing: reaches names "bank", which networkPolicy\.destinations does not have/,
  ],
  [
    'a URL without its scheme',
    minimal({ publicUrl: 'voice.example.com' }),
    /at '\/publicUrl': 'voice\.example\.com' does not match pattern/,
  ],
  ['a URL with a path', minimal({ publicUrl: 'https://example.com/voice' }), /at '\/publicUrl'/],
  [
    'a domain without its dot',
    minimal({ accountDomainSuffix: 'example.com' }),
    /at '\/accountDomainSuffix': 'example\.com' does not match pattern/,
  ],
  [
    'a log level that does not exist',
    minimal({ logLevel: 'verbose' }),
    /at '\/logLevel': value must be one of 'trace'/,
  ],
  ['a port beyond all ports', minimal({ asterisk: { sipPort: 65_536 } }), /at '\/asterisk\/sipPort': maximum/],
  [
    'a secret in the wrong place',
    minimal({ secrets: { values: { 'nats-password': 'x' } } }),
    /at '\/secrets\/values': additional properties 'nats-password' not allowed/,
  ],
  [
    'half a reference to a secret',
    minimal({ secrets: { from: { 'nats-url': { name: 'nats' } } } }),
    /at '\/secrets\/from\/nats-url': missing property 'key'/,
  ],
  [
    'an empty secret',
    minimal({ secrets: { values: { 'nats-url': '' } } }),
    /at '\/secrets\/values\/nats-url': minLength/,
  ],
  [
    'no word of a secret',
    overlay(bare, { secrets: { existingSecret: '' } }),
    /secrets: nothing is said of "[a-z-]+"\. Put it into the Secret that secrets\.existingSecret names/,
  ],
  [
    'a storage that does not exist',
    minimal({ recordings: { storage: 'tape' } }),
    /at '\/recordings\/storage': value must be one of 'volume', 's3'/,
  ],
  [
    'S3 without a bucket',
    minimal({ recordings: { storage: 's3' } }),
    /recordings\.s3\.endpoint is missing[^]*recordings\.s3\.bucket is missing/,
  ],
  [
    'Asterisk without its database',
    minimal({ asterisk: { database: { host: '' } } }),
    /asterisk\.database\.host is missing/,
  ],
  ['no way out for calls', minimal({ services: { telephony: { env: { TRUNKS: '' } } } }), /calls have no way out/],
  ['machines without known addresses', minimal({ kamailio: { hostNetwork: true } }), /machineNetworks is missing/],
  [
    'a node without an address',
    minimal({ asterisk: { replicas: 3, publicAddresses: { 0: '203.0.113.1', 2: '203.0.113.3' } } }),
    /asterisk\.publicAddresses has no "1": each of the 3 nodes needs an address of its own/,
  ],
  [
    'addresses of nodes that have those of their machines',
    overlay(valueSets['edge-host-network'] ?? {}, { asterisk: { publicAddresses: { 0: '203.0.113.1' } } }),
    /asterisk\.publicAddresses has "0", a number: with hostNetwork addresses belong to machines/,
  ],
  [
    'one address for two nodes',
    minimal({ asterisk: { publicAddresses: { 0: '203.0.113.1', 1: '203.0.113.1' } } }),
    /asterisk\.publicAddresses names one address twice/,
  ],
  [
    'a name for an address',
    minimal({ asterisk: { publicAddresses: { 0: 'voice.example.com' } } }),
    /at '\/asterisk\/publicAddresses\/0': 'voice\.example\.com' does not match pattern/,
  ],
  [
    'addresses of machines without them',
    minimal({ kamailio: { publicAddresses: { 'worker-a': '203.0.113.1' } } }),
    /kamailio\.publicAddresses is for hostNetwork/,
  ],
  [
    'a node and an edge at one port of a machine',
    overlay(valueSets['edge-host-network'] ?? {}, { asterisk: { sipPort: 5060 } }),
    /asterisk\.sipPort is 5060, a port of the edges/,
  ],
  [
    'pods that nobody believes',
    minimal({ podNetworks: [] }),
    /podNetworks is missing: name the network of the pods, such as 10\.244\.0\.0\/16/,
  ],
  ['no edge', minimal({ kamailio: { replicas: 0 } }), /at '\/kamailio\/replicas': minimum/],
  [
    'too many ports for a Service',
    minimal({ asterisk: { rtp: { start: 10_000, end: 20_000 } } }),
    /asterisk\.rtp has 10001 ports, too many for a Service/,
  ],
  [
    'more calls than ports of audio',
    minimal({ asterisk: { capacity: 51 } }),
    /asterisk\.rtp has 200 ports, too few for asterisk\.capacity: 51 calls take 4 each/,
  ],
  [
    'ports of audio that end before they begin',
    minimal({ asterisk: { rtp: { start: 20_000, end: 10_000 } } }),
    /asterisk\.rtp\.end must be at least three above/,
  ],
  [
    'https without a certificate',
    minimal({ ingress: { enabled: true } }),
    /ingress\.tlsSecret is missing: publicUrl is https/,
  ],
  ['a route without a parent', minimal({ httpRoute: { enabled: true } }), /httpRoute\.parentRefs is missing/],
  [
    'a hook before its database',
    minimal({ demo: { enabled: true } }),
    /migrations\.asHook must be false with demo\.enabled/,
  ],
  [
    'no word of who collects the money',
    minimal({ services: { billing: { env: { PAYMENT_GATEWAY: '' } } } }),
    /services\.billing\.env\.PAYMENT_GATEWAY is missing/,
  ],
  [
    'payments by a button outside a demo',
    minimal({ services: { billing: { env: { PAYMENT_GATEWAY: 'sandbox', ALLOW_SANDBOX_PAYMENTS: 'true' } } } }),
    /sandbox and ALLOW_SANDBOX_PAYMENTS are for demo\.enabled alone/,
  ],
  [
    'an allowance of the sandbox beside a real provider',
    minimal({ services: { billing: { env: { ALLOW_SANDBOX_PAYMENTS: 'true' } } } }),
    /sandbox and ALLOW_SANDBOX_PAYMENTS are for demo\.enabled alone/,
  ],
  [
    'a bundle in two places',
    minimal({ certificateAuthorities: { configMap: 'a', secret: 'b' } }),
    /certificateAuthorities names a ConfigMap and a Secret/,
  ],
  [
    'a deck that is taken for an option',
    minimal({ rates: { configMap: 'rates', deck: '--replace' } }),
    /at '\/rates\/deck': '--replace' does not match pattern/,
  ],
  [
    'an autoscaler upside down',
    minimal({ defaults: { autoscaling: { enabled: true, minReplicas: 9 } } }),
    /gateway: autoscaling\.minReplicas is above autoscaling\.maxReplicas/,
  ],
  [
    'a peer of no kind',
    minimal({ networkPolicy: { gatewayFrom: [{ pods: 'all' }] } }),
    /at '\/networkPolicy\/gatewayFrom\/0'/,
  ],
];

it.each(refused)('%s', (_, values, words) => {
  expect(refusal(values)).toMatch(words);
});

it('says all that does not fit at once', () => {
  const said = refusal(
    minimal({ ingress: { enabled: true }, httpRoute: { enabled: true }, asterisk: { hostNetwork: true } }),
  );
  expect(said.match(/^ {2}- /gm)).toHaveLength(3);
});

it.each(Object.keys(valueSets))('takes the values %s', (set) => {
  expect(refusal(valueSets[set] ?? {})).toBe('');
});
