import { NumberTitle, OwnedNumber } from '@sabia/protos/sabia/extensions/v1/operator';
import type { NumberTitle as DomainTitle } from '../domain/owned-number';
import type { ShownNumber } from '../storage/numbers';

export const toNumberMessage = (number: ShownNumber): OwnedNumber =>
  OwnedNumber.fromPartial({ ...number, title: NumberTitle[number.title] });

/** Null if the value is no title. */
export function readTitle(title: NumberTitle | undefined): DomainTitle | null | undefined {
  const names: Partial<Record<NumberTitle, DomainTitle>> = {
    [NumberTitle.ASSIGNED]: 'ASSIGNED',
    [NumberTitle.PROVEN]: 'PROVEN',
    [NumberTitle.INHERITED]: 'INHERITED',
  };
  return title === undefined ? undefined : (names[title] ?? null);
}
