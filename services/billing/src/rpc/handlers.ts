import type { BillingServiceService } from '@sabia/protos/sabia/billing/v1/service';
import type { Handlers } from '@sabia/service-kit/grpc/handler';
import { cancelCharge } from './cancel-charge';
import { createCharge } from './create-charge';
import { createFinancialAccount } from './create-financial-account';
import type { Dependencies } from './dependencies';
import { extendReservation } from './extend-reservation';
import { getBalance } from './get-balance';
import { getCallMoney } from './get-call-money';
import { getCharge } from './get-charge';
import { getFinancialAccount } from './get-financial-account';
import { getPaymentPage } from './get-payment-page';
import { getStatement } from './get-statement';
import { grantCredit } from './grant-credit';
import { handlePaymentNotification } from './handle-payment-notification';
import { listCharges } from './list-charges';
import { listOpenReservations } from './list-open-reservations';
import { paySandboxCharge } from './pay-sandbox-charge';
import { quoteRate } from './quote-rate';
import { refundCharge } from './refund-charge';
import { releaseReservation } from './release-reservation';
import { reserveCredit } from './reserve-credit';
import { settleReservation } from './settle-reservation';
import { tellPricesAgain } from './tell-prices-again';
import { updateFinancialAccount } from './update-financial-account';

/** The implemented rpcs, one file each. An rpc that is missing here answers UNIMPLEMENTED. */
export function createHandlers(dependencies: Dependencies): Handlers<BillingServiceService> {
  return {
    cancelCharge: cancelCharge(dependencies),
    createCharge: createCharge(dependencies),
    createFinancialAccount: createFinancialAccount(dependencies),
    extendReservation: extendReservation(dependencies),
    getBalance: getBalance(dependencies),
    getCallMoney: getCallMoney(dependencies),
    getCharge: getCharge(dependencies),
    getFinancialAccount: getFinancialAccount(dependencies),
    getPaymentPage: getPaymentPage(dependencies),
    getStatement: getStatement(dependencies),
    grantCredit: grantCredit(dependencies),
    handlePaymentNotification: handlePaymentNotification(dependencies),
    listCharges: listCharges(dependencies),
    listOpenReservations: listOpenReservations(dependencies),
    paySandboxCharge: paySandboxCharge(dependencies),
    quoteRate: quoteRate(dependencies),
    refundCharge: refundCharge(dependencies),
    releaseReservation: releaseReservation(dependencies),
    reserveCredit: reserveCredit(dependencies),
    settleReservation: settleReservation(dependencies),
    tellPricesAgain: tellPricesAgain(dependencies),
    updateFinancialAccount: updateFinancialAccount(dependencies),
  };
}
