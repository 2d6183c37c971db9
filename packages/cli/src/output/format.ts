import type { Language } from '../messages';

/** Money, times and durations as the user's language writes them. */
export interface Format {
  money(reais: number | null | undefined): string;
  dateTime(at: string | null | undefined): string;
  time(at: string | null | undefined): string;
  duration(seconds: number | null | undefined): string;
}

export function createFormat(language: Language): Format {
  const money = new Intl.NumberFormat(language, {
    style: 'currency',
    currency: 'BRL',
    minimumFractionDigits: 2,
    maximumFractionDigits: 4,
  });
  // The same width in every row, and in the order of time when it is sorted.
  const dateTime = new Intl.DateTimeFormat('sv-SE', { dateStyle: 'short', timeStyle: 'medium' });
  const time = new Intl.DateTimeFormat('sv-SE', { timeStyle: 'medium' });
  return {
    money: (reais) => (reais === null || reais === undefined ? '–' : money.format(reais).replace(/\s/g, ' ')),
    dateTime: (at) => (at ? dateTime.format(new Date(at)) : '–'),
    time: (at) => (at ? time.format(new Date(at)) : '–'),
    duration: (seconds) => (seconds === null || seconds === undefined ? '–' : clock(seconds)),
  };
}

function clock(seconds: number): string {
  const [hours, minutes, rest] = [Math.floor(seconds / 3600), Math.floor((seconds % 3600) / 60), seconds % 60];
  const two = (each: number): string => String(each).padStart(2, '0');
  return hours > 0 ? `${hours}:${two(minutes)}:${two(rest)}` : `${minutes}:${two(rest)}`;
}
