import { InvalidArgumentError } from 'commander';
import type { Context } from '../context';

export const wholeNumber =
  ({ m }: Context) =>
  (text: string): number => {
    const number = Number(text);
    if (!Number.isInteger(number) || number < 1) throw new InvalidArgumentError(m.notANumber);
    return number;
  };

/** "default": what the platform allows every account. */
export type GivenLimit = number | 'default';

export const limitOrDefault =
  (context: Context) =>
  (text: string): GivenLimit =>
    text === 'default' ? text : wholeNumber(context)(text);

export const money =
  ({ m }: Context) =>
  (text: string): number => {
    const number = Number(text.replace(',', '.'));
    if (!(number > 0)) throw new InvalidArgumentError(m.notANumber);
    return number;
  };
