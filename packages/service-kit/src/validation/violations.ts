import { invalid } from '../errors';
import type { Violation } from '../errors';

/** Collects the violations of all fields, so that a client gets all of them in one response. */
export class Violations {
  private readonly found: Violation[] = [];

  get any(): boolean {
    return this.found.length > 0;
  }

  has(field: string): boolean {
    return this.found.some((violation) => violation.field === field);
  }

  add(field: string, code: string, message: string): void {
    this.found.push({ field, code, message });
  }

  /** The context is the resource of the fields, such as "user". */
  throwIfAny(context: string): void {
    if (this.any) {
      throw invalid(context, this.found);
    }
  }
}

export const blank = ['presence', "can't be blank"] as const;

export const taken = ['uniqueness', 'already exists'] as const;
