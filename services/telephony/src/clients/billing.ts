import { ErrorKind } from '@sabia/protos/sabia/api/v1/error';
import type { CallMoney } from '@sabia/protos/sabia/billing/v1/messages';
import { BillingServiceService } from '@sabia/protos/sabia/billing/v1/service';
import { ServiceError } from '@sabia/service-kit/errors';
import { createGrpcClient } from '@sabia/service-kit/grpc/client';
import type { Telemetry } from '@sabia/service-kit/telemetry';

export interface OpenReservation {
  callId: string;
  createdAt: Date;
}

export interface Billing {
  /** Resolves to the seconds of talking that are paid for; rejects with INSUFFICIENT_CREDIT if there is not enough for the first step. */
  reserve(call: { callId: string; accountId: number; destination: string }): Promise<number>;
  /** `wanted` and the result are totals for the call. A reservation that has ended grants nothing more. */
  extend(call: { callId: string; wanted: number; granted: number }): Promise<number>;
  release(callId: string): Promise<void>;
  /** Unsettled reservations made since `from` and older than `olderThanSeconds`, the oldest first. */
  listOpen(list: { from?: Date; olderThanSeconds: number }): Promise<OpenReservation[]>;
  /** The money of a call, in the account of the current request. */
  moneyOf(callId: string): Promise<CallMoney>;
  /** Publishes the prices of rated calls again; calls without a price are skipped. */
  tellPricesAgain(callIds: string[]): Promise<void>;
  /** Opens the connection, so that the first request does not wait for it. */
  connect(): Promise<void>;
  close(): void;
}

export function createBillingClient({ address, telemetry }: { address: string; telemetry?: Telemetry }): Billing {
  const client = createGrpcClient(BillingServiceService, {
    address,
    telemetry,
    idempotentMethods: [
      'reserveCredit',
      'extendReservation',
      'releaseReservation',
      'listOpenReservations',
      'getCallMoney',
      'tellPricesAgain',
    ],
    defaultTimeoutMs: 5_000,
  });
  return {
    async reserve(call) {
      const { seconds } = await client.reserveCredit(call);
      return seconds;
    },
    async extend({ callId, wanted, granted }) {
      try {
        const { seconds } = await client.extendReservation({ callId, seconds: wanted });
        return seconds;
      } catch (error) {
        const isOver =
          error instanceof ServiceError && (error.kind === ErrorKind.CONFLICT || error.kind === ErrorKind.NOT_FOUND);
        if (isOver) {
          return granted;
        }
        throw error;
      }
    },
    async release(callId) {
      await client.releaseReservation({ callId });
    },
    async listOpen({ from, olderThanSeconds }) {
      const { reservations } = await client.listOpenReservations({ createdFrom: from, olderThanSeconds });
      return reservations.map(({ callId, createdAt = new Date(0) }) => ({ callId, createdAt }));
    },
    async moneyOf(callId) {
      const { money } = await client.getCallMoney({ callId });
      return money!;
    },
    async tellPricesAgain(callIds) {
      await client.tellPricesAgain({ callIds });
    },
    async connect() {
      await client.checkHealth();
    },
    close: () => client.close(),
  };
}
