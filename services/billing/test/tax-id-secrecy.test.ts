import { randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { eventually } from '@sabia/testkit/eventually';
import { ReplicaProcess } from './replica-process';
import { callerOf, openStage } from './stage';

test('a tax id is in no log and in no trace, whatever becomes of it', async () => {
  const exported: Buffer[] = [];
  const collector = createServer((request, response) => {
    request.on('data', (bytes: Buffer) => exported.push(bytes));
    request.on('end', () => response.end());
  });
  await new Promise<void>((resolve) => collector.listen(0, '127.0.0.1', resolve));
  const stage = await openStage();
  const replica = await ReplicaProcess.start({
    DATABASE_URL: stage.url,
    // An address without a server: a real NATS would share consumers with other tests.
    NATS_URL: 'nats://127.0.0.1:1',
    OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${(collector.address() as AddressInfo).port}`,
    LOG_LEVEL: 'trace',
    PAYMENT_GATEWAY: 'sandbox',
    ALLOW_SANDBOX_PAYMENTS: 'true',
  });
  try {
    await eventually(() => replica.ready);
    const taxIds = ['52998224725', '52998224726', '11222333000181', '12ABC34501DE35'];
    const as = (accountId: number) => ({
      scope: { requestId: randomUUID(), signal: new AbortController().signal, caller: callerOf({ accountId }) },
    });
    for (const cpfCnpj of taxIds) {
      // Taken, wrong, and locked.
      await replica.client.createFinancialAccount({ cpfCnpj }, as(1)).catch(() => undefined);
      await replica.client.updateFinancialAccount({ cpfCnpj, phone: cpfCnpj }, as(1)).catch(() => undefined);
    }
    expect((await replica.client.getFinancialAccount({}, as(1))).account?.cpfCnpj).toBe(taxIds[0]);
    await stage.database.query('ALTER TABLE financial_accounts RENAME TO gone');
    // Nor after unexpected errors.
    await expect(replica.client.createFinancialAccount({ cpfCnpj: taxIds[2]! }, as(2))).rejects.toThrow();
    await replica.stop('SIGTERM');

    const traces = Buffer.concat(exported).toString('latin1');
    expect(traces).toContain('CreateFinancialAccount');
    expect(replica.output).toContain('unexpected error');
    expect(taxIds.filter((taxId) => traces.includes(taxId))).toEqual([]);
    expect(taxIds.filter((taxId) => replica.output.includes(taxId))).toEqual([]);
  } finally {
    await replica.stop();
    await stage.close();
    collector.close();
  }
});
