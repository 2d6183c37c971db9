// The files that take longest begin first, so that no worker ends minutes after the others. jest remembers how long a file took
// in the last run; this list also serves a fresh clone, and files whose last run failed early.
const Sequencer = require('@jest/test-sequencer').default;
const { remember } = require('./selection.cjs');

/** Files of more than ten seconds, longest first; beside each that needs much of the processor run two that mostly wait. */
const LONGEST = [
  'acceptance/fleet-survival',
  'telephony/test/calls-asterisk-trunks',
  'telephony/test/calls-fleet-asterisk',
  'acceptance/call-survival',
  'acceptance/cli-listen',
  'telephony/test/calls-asterisk',
  'acceptance/rolling-restart',
  'acceptance/cli-operator',
  'telephony/test/carriers-over-edges-asterisk',
  'acceptance/fleet-replacement',
  'telephony/test/calls-takeover-asterisk',
  'acceptance/guides',
  'acceptance/console/pages',
  'telephony/test/fleet-by-name-asterisk',
  'telephony/test/calls-asterisk-changes',
  'acceptance/docs',
  'telephony/test/calls-outage-asterisk',
  'telephony/test/edge-loss-asterisk',
  'telephony/test/calls-million',
  'acceptance/outages',
  'webhook/test/chaos',
  'acceptance/stack',
  'acceptance/contract',
  'telephony/test/number-proofs-asterisk',
  'acceptance/credit-exhaustion',
  'service-kit/test/events-outage',
  'telephony/test/calls-survival',
  'acceptance/console/phone',
  'acceptance/mail-outage',
  'telephony/test/waiting-line',
  'acceptance/console/phone-survival',
  'telephony/test/edges-asterisk',
  'acceptance/numbers',
  'acceptance/console/calls',
  'acceptance/examples',
  'service-kit/test/events-relay',
  'acceptance/console/rooms',
  'telephony/test/calls-disconnection-asterisk',
  'acceptance/calls-trunks',
  'acceptance/cli',
  'acceptance/pages',
  'telephony/test/calls-life',
  'telephony/test/security-guard',
  'acceptance/console/security',
  'acceptance/charges-retry',
  'acceptance/console/entry',
  'identity/test/mails',
  'webhook/test/bad-receivers',
  'gateway/test/sip',
  'acceptance/identity-secrets',
  'billing/test/interleavings',
  'acceptance/call-outcomes',
  'billing/test/rates',
  'billing/test/killed-replicas',
  'service-kit/test/chassis',
  'acceptance/trace',
  'acceptance/web-calls',
  'acceptance/client',
  'acceptance/console/first-call',
  'acceptance/webhooks-guard',
  'telephony/test/test-carrier',
  'acceptance/console/weight',
  'acceptance/webhooks-receivers',
  'webhook/test/slow-receivers',
];

module.exports = class LongestFirst extends Sequencer {
  sort(tests) {
    remember(tests);
    const rank = ({ path }) => {
      const at = LONGEST.findIndex((name) => path.endsWith(`/${name}.test.ts`));
      return at < 0 ? LONGEST.length : at;
    };
    return super.sort(tests).sort((a, b) => rank(a) - rank(b));
  }
};
