import { Role } from '@sabia/protos/sabia/api/v1/caller';
import type { Caller } from '@sabia/protos/sabia/api/v1/caller';
import {
  Charge,
  ChargeStatus,
  CreateChargeResponse,
  FinancialAccount,
  FinancialAccountStatus,
  PaymentMethod,
  PersonType,
} from '@sabia/protos/sabia/billing/v1/messages';
import { denied } from '@sabia/service-kit/errors';
import { requireCaller } from '@sabia/service-kit/grpc/handler';
import type { RpcContext } from '@sabia/service-kit/grpc/handler';
import { startOfDay } from '../domain/calendar';
import type { Charge as DomainCharge } from '../domain/charge';
import { takenOf } from '../domain/charge-step';
import type { FinancialAccount as DomainFinancialAccount } from '../domain/financial-account';

export const currency = 'BRL';

export function toChargeMessage(whole: DomainCharge): Charge {
  const { accountId, pageToken: _token, chargeback: _state, ...charge } = whole;
  return Charge.fromPartial({
    ...charge,
    organizationId: accountId,
    refundedAmount: takenOf(whole) || undefined,
    paymentMethod: PaymentMethod[charge.paymentMethod],
    status: ChargeStatus[charge.status],
    // Midnight of UTC would be the evening before in Brazil.
    dueDate: startOfDay(charge.dueDate),
  });
}

/** The fields of the response to its creation. */
export function toCreatedChargeMessage(charge: DomainCharge): CreateChargeResponse {
  const { id, userId, organizationId, gateway, type, paymentMethod, paymentId, paymentLink, ...rest } =
    toChargeMessage(charge);
  const { dueDate, amount, totalAmount, description, status, statusUpdatedAt, createdAt, metadata } = rest;
  return CreateChargeResponse.fromPartial({
    id,
    userId,
    organizationId,
    gateway,
    type,
    paymentMethod,
    paymentId,
    paymentLink,
    dueDate,
    amount,
    totalAmount,
    description,
    status,
    statusUpdatedAt,
    createdAt,
    metadata,
  });
}

export const toFinancialAccountMessage = ({
  accountId: _account,
  customerId: _customer,
  updatedAt: _at,
  ...account
}: DomainFinancialAccount): FinancialAccount =>
  FinancialAccount.fromPartial({
    ...account,
    status: FinancialAccountStatus[account.status],
    personType: PersonType[account.personType],
  });

/** An unknown name is passed on as a value that no rule accepts. */
export function readPaymentMethod(method: PaymentMethod | undefined): string | undefined {
  return method === undefined ? undefined : (PaymentMethod[method] ?? '');
}

/** The gateway checks this as well, but a service does not rely on being called only through it. */
export function requireAdmin(context: RpcContext): Caller {
  const caller = requireCaller(context);
  if (caller.role !== Role.ADMIN) {
    throw denied();
  }
  return caller;
}
