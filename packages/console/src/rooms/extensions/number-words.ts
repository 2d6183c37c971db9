import type { AccountNumber, NumberProof } from '@sabia/client';
import { m } from '../../paraglide/messages';

const titles: Partial<Record<AccountNumber['title'], () => string>> = {
  ASSIGNED: m.numbers_title_assigned,
  PROVEN: m.numbers_title_proven,
  INHERITED: m.numbers_title_inherited,
};

export const titleWords = ({ title }: AccountNumber): string => titles[title]?.() ?? title;

const failures: Partial<Record<NonNullable<NumberProof['failure']>, () => string>> = {
  NO_ANSWER: m.numbers_failed_no_answer,
  BUSY: m.numbers_failed_busy,
  REJECTED: m.numbers_failed_rejected,
  UNREACHABLE: m.numbers_failed_unreachable,
  NO_CODE: m.numbers_failed_no_code,
  WRONG_CODE: m.numbers_failed_wrong_code,
  EXPIRED: m.numbers_failed_expired,
  CANCELLED: m.numbers_failed_cancelled,
  NUMBER_TAKEN: m.numbers_failed_taken,
};

export const failureWords = ({ failure }: NumberProof): string =>
  (failure && failures[failure]?.()) ?? m.numbers_failed_unreachable();
