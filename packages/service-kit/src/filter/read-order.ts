import type { OrderTerm } from './checked-filter';
import { invalidFilter, quote } from './invalid-filter';
import { asList } from './read-json';
import { readTarget } from './read-target';
import type { Resource } from './resource';

const maximumTerms = 10;

/** "field", "field DESC", a comma list of those, or an array of any of them. */
export function readOrder(resource: Resource, value: unknown): OrderTerm[] | undefined {
  if (value === undefined || value === null) {
    return undefined;
  }
  const terms = asList(value).flatMap((item) => {
    if (typeof item !== 'string') {
      throw invalidFilter('"order" must be a text such as "field DESC", or a list of those');
    }
    return item.split(',');
  });
  const given = terms.map((term) => term.trim()).filter((term) => term !== '');
  if (given.length > maximumTerms) {
    throw invalidFilter(`"order" holds more than ${maximumTerms} fields`);
  }
  return given.length === 0 ? undefined : given.map((term) => readTerm(resource, term));
}

function readTerm(resource: Resource, term: string): OrderTerm {
  const [name = '', direction = 'asc', ...rest] = term.split(/\s+/);
  const lowerCase = direction.toLowerCase();
  if (rest.length > 0 || (lowerCase !== 'asc' && lowerCase !== 'desc')) {
    throw invalidFilter(`${quote(term)} in "order" is not of the form "field ASC" or "field DESC"`);
  }
  const target = readTarget(resource, name);
  if (target.field.type === 'json' && target.path.length === 0) {
    throw invalidFilter(`${quote(name)} in "order" has no order; name a path inside it`);
  }
  return { target, descending: lowerCase === 'desc' };
}
