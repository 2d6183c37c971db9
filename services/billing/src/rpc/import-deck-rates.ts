import { createHash } from 'node:crypto';
import { ImportDeckRatesResponse } from '@sabia/protos/sabia/billing/v1/operator';
import { invalid } from '@sabia/service-kit/errors';
import { requireOperator } from '@sabia/service-kit/grpc/handler';
import { fromDecimal } from '../domain/money';
import { importRates } from '../rate-file';
import type { ImportReport } from '../rate-file';
import { textSource } from '../rate-source';
import { insertImport } from '../storage/rate-decks';
import type { Dependencies, Handler } from './dependencies';
import { checkDeckName } from './operated-account';

export function importDeckRates({ database, now }: Dependencies): Handler<'importDeckRates'> {
  return async ({ deck, csv = '', dryRun = false, replace = false }, context) => {
    const { name: operatorName } = requireOperator(context);
    checkDeckName(deck);
    if (csv.trim() === '') {
      throw invalid('import', [{ field: 'csv', code: 'presence', message: "can't be blank" }]);
    }
    const report = await importRates(database, textSource(csv), {
      ...{ deck, dryRun, replace, now },
      onApplied: (tx, deckId, { lines, added, changed, absent }) =>
        insertImport(tx, deckId, {
          ...{ at: now(), operatorName, lines, added, changed, ended: replace ? absent : 0 },
          sha256: createHash('sha256').update(csv).digest('hex'),
        }),
    });
    return toMessage(report);
  };
}

const toMessage = ({ differences, ...report }: ImportReport): ImportDeckRatesResponse =>
  ImportDeckRatesResponse.fromPartial({
    ...report,
    differences: differences.map(({ prefix, change, priceBefore, priceAfter, validFrom }) => ({
      ...{ prefix, change, validFrom },
      minutePriceBefore: priceBefore === null ? undefined : fromDecimal(priceBefore),
      minutePriceAfter: priceAfter === null ? undefined : fromDecimal(priceAfter),
    })),
  });
