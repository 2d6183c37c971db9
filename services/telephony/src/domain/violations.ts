import { invalid } from '@sabia/service-kit/errors';
import type { Violation } from '@sabia/service-kit/errors';

/** Collects what is wrong with every field, so that a client hears all of it in one answer. */
export class Violations {
  private readonly found: Violation[] = [];

  add(field: string, code: string, message: string): void {
    this.found.push({ field, code, message });
  }

  throwIfAny(): void {
    if (this.found.length > 0) {
      throw invalid('call', this.found);
    }
  }
}
