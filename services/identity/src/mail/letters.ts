import type { Language } from '@sabia/service-kit/brand/language';
import type { Letters } from './letter';
import { english } from './letters-in-english';
import { portuguese } from './letters-in-portuguese';

export const letters: Record<Language, Letters> = { 'pt-BR': portuguese, en: english };
