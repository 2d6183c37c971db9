import type { Phone } from './engine/phone';
import type { PhoneSnapshot } from './engine/snapshot';

/** What each part of the open phone is given. */
export interface PhoneView {
  phone: Phone;
  snapshot: PhoneSnapshot;
}
