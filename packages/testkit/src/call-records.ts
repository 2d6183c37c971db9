import { readEnvelopes } from '@sabia/service-kit/events/envelope';
import { connect } from 'nats';
import { Pool } from 'pg';
import { eventually, type Patience } from './eventually';
import type { Person } from './people';
import { openWebhookInbox, type WebhookInbox } from './webhook-inbox';

export interface CallRow {
  id: string;
  status: string;
  /** The node that it is on; null when it has ended. */
  switch: string | null;
  answered_at: Date | null;
  ended_at: Date | null;
  hangup_cause: string | null;
  hangup_cause_code: string | null;
  /** In reais. */
  call_price: string | null;
}

const HOOK = '/calls';

/** What a stack keeps and tells of the calls of one account: records, events, webhooks and money. */
export class CallRecords {
  private constructor(
    private readonly stack: { natsUrl: string },
    private readonly admin: Person,
    private readonly webhookTypes: readonly string[],
    readonly sql: Pool,
    private readonly inbox: WebhookInbox,
  ) {}

  static async open(
    stack: { postgresUrl: string; natsUrl: string },
    admin: Person,
    webhookTypes: readonly string[] = ['channel-hangup'],
  ): Promise<CallRecords> {
    const sql = new Pool({ connectionString: stack.postgresUrl, max: 2 });
    // The database may be restarted by a test.
    sql.on('error', () => undefined);
    const inbox = await openWebhookInbox();
    const integration = await admin.api().patch('/integrations', {
      ...{ gateway: 'crm', webhook: true },
      metadata: { webhookUrl: inbox.urlOf(HOOK), webhookTypes },
    });
    if (integration.status !== 200) throw new Error(`PATCH /integrations answered ${integration.status}`);
    return new CallRecords(stack, admin, webhookTypes, sql, inbox);
  }

  async rows(ids: readonly string[]): Promise<CallRow[]> {
    const { rows } = await this.sql.query<CallRow>(
      `SELECT id, switch, coalesce(talking_since, answered_at) AS answered_at, ended_at,
         CASE WHEN status = 'ended' THEN status WHEN talking_since IS NOT NULL THEN 'answered' WHEN is_ringing THEN 'ringing'
           ELSE status END AS status,
         hangup_cause, hangup_cause_code, call_price
       FROM telephony.calls LEFT JOIN telephony.live_calls ON call_id = id WHERE id = ANY ($1::uuid[])`,
      [ids],
    );
    return rows;
  }

  /** Waits until all these calls have the status. Rejects at once, with its history, when one has ended instead. */
  async until(ids: readonly string[], status: string, patience: Patience = { intervalMs: 200 }): Promise<CallRow[]> {
    const rows = await eventually(async () => {
      const all = await this.rows(ids);
      const behind = all.filter((row) => row.status !== status && row.status !== 'ended');
      if (behind.length > 0 || all.length < ids.length)
        throw new Error(
          `${all.length - behind.length} of ${ids.length} are ${status}: ${await this.historyOf(behind)}`,
        );
      return all;
    }, patience);
    const over = rows.filter((row) => row.status !== status);
    if (over.length > 0) throw new Error(`${over.length} of ${ids.length} have ended: ${await this.historyOf(over)}`);
    return rows;
  }

  /** Waits until the calls are final; returns those that have not one final record, one event and each webhook once, and are not live any more. */
  async untold(ids: readonly string[]): Promise<string[]> {
    await this.until(ids, 'ended');
    await eventually(() => ids.every((id) => this.webhooksOf(id).includes('channel-hangup')));
    const published = await this.endsPublished();
    const { rows: live } = await this.sql.query<{ id: string }>(
      'SELECT call_id AS id FROM telephony.live_calls WHERE call_id = ANY ($1::uuid[])',
      [ids],
    );
    const rows = await this.rows(ids);
    return rows.flatMap(({ id, answered_at }) => {
      const webhooks = this.webhooksOf(id).sort().join();
      const expected = this.webhookTypes.filter((type) => type !== 'channel-answer' || answered_at !== null);
      const ends = published.filter((payload) => payload.includes(id)).length;
      const isTold = ends === 1 && webhooks === [...expected].sort().join() && !live.some((each) => each.id === id);
      return isTold ? [] : [`${id}: ${ends} events of its end, webhooks ${webhooks}`];
    });
  }

  /** Waits until all calls of the account have a price; returns credit that is neither there nor spent on calls, or still reserved. */
  async missingMoney(credit: number): Promise<{ missing: number; reserved: number }> {
    return eventually(async () => {
      const { rows } = await this.sql.query<{ spent: string; unpriced: string }>(
        `SELECT coalesce(sum(call_price), 0) AS spent, count(*) FILTER (WHERE call_price IS NULL AND answered_at IS NOT NULL) AS unpriced
         FROM telephony.calls WHERE account_id = (SELECT account_id FROM telephony.calls WHERE user_id = $1 LIMIT 1)`,
        [this.admin.id],
      );
      if (Number(rows[0]!.unpriced) > 0) throw new Error(`${rows[0]!.unpriced} calls have no price`);
      const { body } = await this.admin.api().get<{ balance: number; reserved: number }>('/credits/balance');
      const missing = Math.round((credit - Number(rows[0]!.spent) - body.balance) * 10_000) / 10_000;
      return { missing, reserved: body.reserved };
    });
  }

  async close(): Promise<void> {
    await this.inbox.close();
    await this.sql.end();
  }

  /** Of the first of these calls: its row and timeline, for the message of a test that fails. */
  async historyOf([row]: readonly CallRow[]): Promise<string> {
    const { rows } = await this.sql.query(
      'SELECT at, message, detail FROM telephony.call_timeline WHERE call_id = $1::uuid ORDER BY at',
      [row?.id],
    );
    return JSON.stringify([row, ...rows], null, 1);
  }

  private webhooksOf(id: string): string[] {
    const came = this.inbox.received(HOOK).filter(({ payload }) => payload.id === id);
    return came.map(({ payload }) => String(payload.eventType));
  }

  /** The payloads of these events. A message may carry several; a relay that starts anew may gather one that is stored with others. */
  private async endsPublished(): Promise<Buffer[]> {
    const nats = await connect({ servers: this.stack.natsUrl });
    try {
      const consumer = await nats.jetstream().consumers.get('SABIA', { filterSubjects: 'sabia.telephony.call.ended' });
      const { num_pending: pending } = await consumer.info();
      const payloads = new Map<string, Buffer>();
      for await (const message of await consumer.fetch({ max_messages: Math.max(1, pending), expires: 300_000 })) {
        readEnvelopes(message.data).forEach(({ id, payload }) => payloads.set(id, payload));
      }
      return [...payloads.values()];
    } finally {
      await nats.close();
    }
  }
}
