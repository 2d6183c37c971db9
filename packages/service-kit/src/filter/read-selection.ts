import type { Selection } from './checked-filter';
import { invalidFilter, quote } from './invalid-filter';
import { asList, isObject, readJson } from './read-json';
import { unknownField } from './read-target';
import type { Resource } from './resource';

/** `["a","b"]`, `"a,b"`, `{"a":true}` or `{"a":false}`. */
function readNames(value: unknown): Selection | undefined {
  if (value === undefined || value === null) {
    return undefined;
  }
  const list = asList(value);
  if (!isObject(value) || list.length !== 1 || list[0] !== value) {
    const names = list.flatMap((name) => {
      if (typeof name !== 'string') {
        throw invalidFilter('"fields" must be a list of names, or an object of names with true or false');
      }
      return name.split(',').map((part) => part.trim());
    });
    return toSelection('only', names);
  }
  const entries = Object.entries(value).map(([name, wanted]) => [name, readFlag(name, wanted)] as const);
  const only = entries.filter(([, wanted]) => wanted).map(([name]) => name);
  const except = entries.filter(([, wanted]) => !wanted).map(([name]) => name);
  return only.length > 0 ? toSelection('only', only) : toSelection('except', except);
}

const toSelection = (mode: Selection['mode'], names: string[]): Selection | undefined => {
  const given = names.filter((name) => name !== '');
  return given.length === 0 ? undefined : { mode, names: given };
};

function readFlag(name: string, value: unknown): boolean {
  const text = String(value).toLowerCase();
  if (text !== 'true' && text !== 'false' && text !== '1' && text !== '0') {
    throw invalidFilter(`${quote(name)} in "fields" must be true or false`);
  }
  return text === 'true' || text === '1';
}

export function readFields(resource: Resource, value: unknown): Selection | undefined {
  const selection = readNames(value);
  if (selection === undefined) {
    return undefined;
  }
  const names = selection.names.map((name) => {
    const field = resource.lookup(name);
    if (field === undefined) {
      throw unknownField(resource, name);
    }
    // Most aliases can only be searched by; only fields of the response can be selected.
    if (field.name !== name && !field.answerAliases?.includes(name)) {
      throw invalidFilter(`"fields" names the fields of the answer: ${quote(field.name)}, not ${quote(name)}`);
    }
    return name;
  });
  return { ...selection, names };
}

export function readInclude(resource: Resource, value: unknown): string[] {
  if (value === undefined || value === null || value === '') {
    return [];
  }
  const known = resource.includes ?? [];
  return asList(value).map((item) => {
    const name = isObject(item) ? item.relation : item;
    if (typeof name !== 'string' || !known.includes(name)) {
      const choice = known.length === 0 ? 'nothing can be included' : `there are ${known.join(', ')}`;
      throw invalidFilter(`${resource.name} cannot include ${quote(name)}; ${choice}`);
    }
    return name;
  });
}

/**
 * For the gateway, which renders the response and knows no resource: whether a field of an item is shown.
 * The service has checked the filter by then, so a selection that cannot be read here selects all fields.
 */
export function selectFields(filter: string | undefined): ((field: string) => boolean) | undefined {
  let selection: Selection | undefined;
  try {
    selection = readNames(readJson(filter)?.fields);
  } catch {
    return undefined;
  }
  if (selection === undefined) {
    return undefined;
  }
  const names = new Set(selection.names);
  return selection.mode === 'only' ? (field) => names.has(field) : (field) => !names.has(field);
}
