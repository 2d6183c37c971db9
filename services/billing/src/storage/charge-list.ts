import { listPage } from '@sabia/service-kit/filter/page';
import { readFilter } from '@sabia/service-kit/filter/read-filter';
import { defineResource, pageLimits } from '@sabia/service-kit/filter/resource';
import type { Database } from '@sabia/service-kit/postgres/database';
import type { PageMeta } from '@sabia/protos/sabia/api/v1/page';
import { chargeTimeZone } from '../domain/calendar';
import type { Charge } from '../domain/charge';
import { chargeColumns, toCharge } from './charges';
import type { ChargeRow } from './charges';

export const chargeResource = defineResource({
  name: 'charge',
  columns: chargeColumns,
  from: 'charges',
  // A charge that the provider has not accepted yet is not shown to clients.
  tenant: 'payment_id IS NOT NULL AND account_id',
  key: 'id',
  fields: {
    id: { type: 'integer', sql: 'id' },
    userId: { type: 'integer', sql: 'user_id' },
    organizationId: { type: 'integer', sql: 'account_id' },
    gateway: { type: 'text', sql: 'gateway' },
    type: { type: 'text', sql: 'type' },
    paymentMethod: { type: 'text', sql: 'payment_method' },
    paymentId: { type: 'text', sql: 'payment_id' },
    paymentCode: { type: 'text', sql: 'payment_code' },
    paymentLink: { type: 'text', sql: 'payment_link' },
    invoiceId: { type: 'text', sql: 'invoice_id' },
    invoiceLink: { type: 'text', sql: 'invoice_link' },
    // A filter by date means the whole day in São Paulo.
    dueDate: { type: 'timestamp', sql: `(due_date::timestamp AT TIME ZONE '${chargeTimeZone}')` },
    amount: { type: 'decimal', sql: 'amount' },
    taxAmount: { type: 'decimal', sql: 'tax_amount' },
    totalAmount: { type: 'decimal', sql: 'total_amount' },
    description: { type: 'text', sql: 'description' },
    status: { type: 'text', sql: 'status' },
    statusUpdatedAt: { type: 'timestamp', sql: 'status_updated_at' },
    createdAt: { type: 'timestamp', sql: 'created_at' },
    paidAt: { type: 'timestamp', sql: 'paid_at' },
    receivedAt: { type: 'timestamp', sql: 'received_at' },
    refundedAt: { type: 'timestamp', sql: 'refunded_at' },
    paidAmount: { type: 'decimal', sql: 'paid_amount' },
    refundedAmount: {
      type: 'decimal',
      sql: `(CASE WHEN status = 'REFUNDED' THEN paid_amount ELSE nullif(refunded_amount, 0) END)`,
    },
    chargebackAt: { type: 'timestamp', sql: 'chargeback_at' },
    hasErpInvoice: { type: 'boolean', sql: 'has_erp_invoice' },
    metadata: { type: 'json', sql: 'metadata::jsonb' },
  },
  defaultOrder: { field: 'id', descending: true },
  ...pageLimits,
});

export async function listCharges(
  database: Database,
  list: { accountId: number; timeZone: string; filter: string | undefined; page: number },
): Promise<{ charges: Charge[]; meta: PageMeta }> {
  const filter = readFilter(chargeResource, list.filter, list.timeZone);
  const { rows, meta } = await listPage<ChargeRow>(database, chargeResource, { ...list, filter });
  return { charges: rows.map(toCharge), meta };
}
