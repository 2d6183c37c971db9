import { InvalidArgumentError } from 'commander';
import type { Context } from '../context';

export const wholeNumber =
  ({ m }: Context) =>
  (text: string): number => {
    const number = Number(text);
    if (!Number.isInteger(number) || number < 1) throw new InvalidArgumentError(m.notANumber);
    return number;
  };

export const money =
  ({ m }: Context) =>
  (text: string): number => {
    const number = Number(text.replace(',', '.'));
    if (!(number > 0)) throw new InvalidArgumentError(m.notANumber);
    return number;
  };
