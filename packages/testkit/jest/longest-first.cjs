// The files that take longest begin first, so that no worker ends minutes after the others. jest remembers how long a file took
// in the last run; this list also serves a fresh clone, and files whose last run failed early.
const Sequencer = require('@jest/test-sequencer').default;
const { remember } = require('./selection.cjs');

/** Files of more than ten seconds, longest first; those that need much CPU are spread among those that mostly wait. */
const LONGEST = [
  'acceptance/fleet-survival',
  'acceptance/call-survival',
  'acceptance/console/pages',
  'telephony/test/calls-asterisk',
  'acceptance/fleet-replacement',
  'acceptance/credit-exhaustion',
  'acceptance/rolling-restart',
  'acceptance/outages',
  'acceptance/cli-listen',
  'webhook/test/chaos',
  'acceptance/stack',
  'acceptance/console/phone',
  'telephony/test/calls-outage-asterisk',
  'telephony/test/calls-million',
  'acceptance/console/phone-survival',
  'telephony/test/calls-disconnection-asterisk',
  'acceptance/console/calls',
  'acceptance/cli',
  'service-kit/test/events-outage',
  'telephony/test/calls-survival',
  'acceptance/console/rooms',
  'acceptance/pages',
  'telephony/test/calls-life',
  'telephony/test/security-guard',
  'acceptance/console/security',
  'telephony/test/calls-asterisk-trunks',
  'acceptance/charges-retry',
  'acceptance/console/entry',
  'identity/test/mails',
  'webhook/test/bad-receivers',
  'gateway/test/sip',
  'acceptance/identity-secrets',
  'billing/test/interleavings',
  'acceptance/call-outcomes',
  'billing/test/rates',
  'acceptance/mail-outage',
  'billing/test/killed-replicas',
  'service-kit/test/chassis',
  'acceptance/trace',
  'acceptance/web-calls',
  'acceptance/client',
  'acceptance/console/first-call',
  'telephony/test/calls-takeover-asterisk',
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
