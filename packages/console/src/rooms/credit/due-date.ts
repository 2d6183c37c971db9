import { dayIn, daysAfter } from '../../i18n/days';

/** The zone in which the API says what today is (decisions on charges). */
const CHARGE_ZONE = 'America/Sao_Paulo';
const LONGEST_DAYS = 7;

/** The latest due date that a charge may have, as YYYY-MM-DD. */
export const latestDueDate = (now: Date): string => daysAfter(dayIn(CHARGE_ZONE, now), LONGEST_DAYS);
