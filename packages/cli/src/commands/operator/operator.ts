import type { AddCommands } from '../command';
import { addOperatorAccounts } from './accounts';
import { addOperatorLogin } from './login';
import { addOperatorMoney } from './money';
import { addOperatorNumbers } from './numbers';
import { addOperators } from './operators';
import { addOperatorRates } from './rates';
import { addOperatorRecords } from './records';
import { addOperatorTelephony } from './telephony';

/** What those who run an installation do, on a port and with a token of their own. */
export const addOperator: AddCommands = (parent, context) => {
  const { m } = context;
  const operator = parent
    .command('operator')
    .description(m.operator.program)
    .option('--operator-url <address>', m.operator.optionUrl)
    .option('--operator-token <token>', m.operator.optionToken);
  for (const add of [
    addOperatorLogin,
    addOperatorAccounts,
    addOperatorMoney,
    addOperatorRates,
    addOperatorNumbers,
    addOperatorTelephony,
    addOperatorRecords,
    addOperators,
  ]) {
    add(operator, context);
  }
};
