// The files that take longest begin first, so that no worker ends minutes after the others. jest remembers how long a file took
// in the last run; this list also serves a fresh clone, and files whose last run failed early.
const Sequencer = require('@jest/test-sequencer').default;
const { remember } = require('./selection.cjs');

/** Files of more than ten seconds, longest first; those that need much CPU are spread among those that mostly wait. */
const LONGEST = [
  'acceptance/call-survival',
  'acceptance/console/pages',
  'acceptance/rolling-restart',
  'telephony/test/calls-outage-asterisk',
  'telephony/test/calls-disconnection-asterisk',
  'telephony/test/calls-takeover-asterisk',
  'telephony/test/calls-asterisk',
  'acceptance/stack',
  'acceptance/outages',
  'telephony/test/calls-million',
  'acceptance/credit-exhaustion',
  'webhook/test/chaos',
  'acceptance/webhooks-snippets',
  'service-kit/test/events-outage',
  'telephony/test/calls-survival',
  'acceptance/charges-retry',
  'telephony/test/calls-life',
  'acceptance/mail-outage',
  'webhook/test/bad-receivers',
  'telephony/test/calls-asterisk-trunks',
  'identity/test/mails',
  'acceptance/call-outcomes',
  'billing/test/killed-replicas',
  'telephony/test/security-guard',
  'billing/test/rates',
  'acceptance/web-calls',
  'service-kit/test/chassis',
  'acceptance/webhooks-receivers',
  'telephony/test/test-carrier',
  'acceptance/trace',
  'acceptance/webhooks-guard',
  'acceptance/console/calls',
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
