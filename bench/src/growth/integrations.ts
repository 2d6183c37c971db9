import { openReceiver } from '../receiver';
import type { OpenStack } from '../stack';
import { withDatabase } from '../with-database';
import { openWebhookLoad } from '../webhook-load';
import type { Hook, WebhookLoad } from '../webhook-load';
import type { Receiver } from '../receiver';
import { backlog } from '../backlog';
import type { Axis } from './axis';

/** An account has more and more webhooks, one of which wants the event. */
export function integrations(openStack: OpenStack): Axis {
  let opened: { load: WebhookLoad; receiver: Receiver; hook: Hook } | undefined;
  let written = 1;
  return {
    name: 'integrations',
    title: 'integrations of the account whose events are sent',
    sizes: [1, 10, 100, 1_000],
    async grow(size) {
      const stack = await openStack();
      if (opened === undefined) {
        const receiver = await openReceiver();
        const load = await openWebhookLoad(stack, receiver);
        opened = { load, receiver, hook: await load.hook(`${receiver.origin}/count`) };
      }
      const { load, hook } = opened;
      await withDatabase(stack, async (client) => {
        // Through the API there may be fewer. The copies wait for the calls of another team.
        await client.query(
          `INSERT INTO webhook.integrations (account_id, user_id, gateway, webhook, webhook_constraint, metadata, settings,
             constraint_pairs, secret, secret_key_id, created_at, updated_at)
           SELECT account_id, user_id, gateway || '-' || n, webhook, replace(webhook_constraint, $2, 'team-' || n), metadata, settings,
             replace(constraint_pairs::text, $2, 'team-' || n)::jsonb, secret, secret_key_id, created_at, updated_at
           FROM webhook.integrations, generate_series($3::integer, $4::integer) AS n WHERE id = $1`,
          [hook.id, hook.team, written + 1, size],
        );
        await client.query('VACUUM (ANALYZE) webhook.integrations');
      });
      written = size;
      const work = backlog((count, onStart) => load.drain(hook, count, onStart));
      return { stack, jobs: [{ name: 'an event delivered', work, close: () => Promise.resolve() }] };
    },
    async close() {
      await opened?.load.close();
      await opened?.receiver.close();
    },
  };
}
