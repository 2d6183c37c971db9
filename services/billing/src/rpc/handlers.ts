import type { BillingServiceService } from '@sabia/protos/sabia/billing/v1/service';
import type { Handlers } from '@sabia/service-kit/grpc/handler';
import { assignRateDeck } from './assign-rate-deck';
import { cancelCharge } from './cancel-charge';
import { createCharge } from './create-charge';
import { createFinancialAccount } from './create-financial-account';
import type { Dependencies } from './dependencies';
import { extendReservation } from './extend-reservation';
import { getAccountCredit } from './get-account-credit';
import { getAccountStatement } from './get-account-statement';
import { getBalance } from './get-balance';
import { getCallMoney } from './get-call-money';
import { getCharge } from './get-charge';
import { getFinancialAccount } from './get-financial-account';
import { getPaymentPage } from './get-payment-page';
import { getStatement } from './get-statement';
import { grantAccountCredit } from './grant-account-credit';
import { grantCredit } from './grant-credit';
import { handlePaymentNotification } from './handle-payment-notification';
import { importDeckRates } from './import-deck-rates';
import { listAccountCharges } from './list-account-charges';
import { listCharges } from './list-charges';
import { listDeckImports } from './list-deck-imports';
import { listDeckRates } from './list-deck-rates';
import { listOpenReservations } from './list-open-reservations';
import { listRateDecks } from './list-rate-decks';
import { paySandboxCharge } from './pay-sandbox-charge';
import { quoteRate } from './quote-rate';
import { refundAccountCharge } from './refund-account-charge';
import { refundCharge } from './refund-charge';
import { releaseReservation } from './release-reservation';
import { reserveCredit } from './reserve-credit';
import { settleReservation } from './settle-reservation';
import { tellPricesAgain } from './tell-prices-again';
import { updateFinancialAccount } from './update-financial-account';

/** The implemented rpcs, one file each. An rpc that is missing here answers UNIMPLEMENTED. */
export function createHandlers(dependencies: Dependencies): Handlers<BillingServiceService> {
  return {
    assignRateDeck: assignRateDeck(dependencies),
    cancelCharge: cancelCharge(dependencies),
    createCharge: createCharge(dependencies),
    createFinancialAccount: createFinancialAccount(dependencies),
    extendReservation: extendReservation(dependencies),
    getAccountCredit: getAccountCredit(dependencies),
    getAccountStatement: getAccountStatement(dependencies),
    getBalance: getBalance(dependencies),
    getCallMoney: getCallMoney(dependencies),
    getCharge: getCharge(dependencies),
    getFinancialAccount: getFinancialAccount(dependencies),
    getPaymentPage: getPaymentPage(dependencies),
    getStatement: getStatement(dependencies),
    grantAccountCredit: grantAccountCredit(dependencies),
    grantCredit: grantCredit(dependencies),
    handlePaymentNotification: handlePaymentNotification(dependencies),
    importDeckRates: importDeckRates(dependencies),
    listAccountCharges: listAccountCharges(dependencies),
    listCharges: listCharges(dependencies),
    listDeckImports: listDeckImports(dependencies),
    listDeckRates: listDeckRates(dependencies),
    listOpenReservations: listOpenReservations(dependencies),
    listRateDecks: listRateDecks(dependencies),
    paySandboxCharge: paySandboxCharge(dependencies),
    quoteRate: quoteRate(dependencies),
    refundAccountCharge: refundAccountCharge(dependencies),
    refundCharge: refundCharge(dependencies),
    releaseReservation: releaseReservation(dependencies),
    reserveCredit: reserveCredit(dependencies),
    settleReservation: settleReservation(dependencies),
    tellPricesAgain: tellPricesAgain(dependencies),
    updateFinancialAccount: updateFinancialAccount(dependencies),
  };
}
