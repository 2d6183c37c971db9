import type { Target } from './checked-filter';
import { invalidFilter, quote } from './invalid-filter';
import type { Resource } from './resource';

const maximumPathLength = 8;

/** A declared field, or a dot path into a json one. */
export function readTarget(resource: Resource, name: string): Target {
  const field = resource.lookup(name);
  if (field !== undefined) {
    return { field, path: [] };
  }
  const [first = '', ...path] = name.split('.');
  const json = resource.lookup(first);
  if (json?.type !== 'json' || path.length === 0) {
    throw unknownField(resource, name);
  }
  if (path.length > maximumPathLength || path.some((segment) => segment === '')) {
    throw invalidFilter(`${quote(name)} is not a usable path`);
  }
  return { field: json, path };
}

export const unknownField = (resource: Resource, name: string) =>
  invalidFilter(
    `${resource.name} has no field ${quote(name)}; the fields are ${Object.keys(resource.fields).join(', ')}`,
  );
