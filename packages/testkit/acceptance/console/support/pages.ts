import type { LivedInAccount } from '../../../src/console/lived-in-account';

/** The pages of a logged-in user: a name for people and the path below /console. */
export function pagesOf(ids: LivedInAccount): [string, string][] {
  return [
    ['overview', '/'],
    ['calls', '/calls'],
    ['calls-filtered', '/calls?hangup_cause=USER_BUSY'],
    ['call', `/calls/${ids.callId}`],
    ['busy-call', `/calls/${ids.busyCallId}`],
    ['webhooks', '/webhooks'],
    ['webhook', `/webhooks/${ids.integrationId}`],
    ['broken-webhook', `/webhooks/${ids.brokenIntegrationId}`],
    ['extensions', '/extensions'],
    ['extension', `/extensions/${ids.extensionId}`],
    ['credit', '/credit'],
    ['charge', `/credit/charges/${ids.chargeId}`],
    ['people', '/people'],
    ['tokens', '/tokens'],
    ['account', '/account'],
    ['not-found', '/nowhere'],
  ];
}
