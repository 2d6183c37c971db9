import { isObject } from './input';
import { memberTexts } from './json-text';

/** Query parameters of every list beside its `filter`; the first name of each is the one in a filter. */
const paging: Record<string, readonly string[]> = {
  limit: ['limit', 'pageSize', 'per_page', 'perPage'],
  offset: ['offset', 'skip'],
  order: ['order'],
};

export type AddParameters = (filter: string | undefined, query: Record<string, unknown>) => string | undefined;

/**
 * Lets simple query parameters filter a list: `?ramal=1000&limit=20`. A condition of `filter` on the same field wins. `declared` are
 * the names that the list takes, each as `name`, or as `name=field` where the field has another name.
 */
export function compileSimpleFilter(declared: readonly string[]): AddParameters {
  const parameters = declared.map((text) => {
    const [name = '', field = name] = text.split('=');
    return { name, field };
  });
  const namesOf = (wanted: string): string[] => [
    wanted,
    ...parameters.filter(({ field }) => field === wanted).map(({ name }) => name),
  ];

  return (filter, query) => {
    const conditions = parameters.filter(({ name }) => isGiven(query[name]));
    const pages = Object.entries(paging).flatMap(([key, names]) => {
      const name = names.find((candidate) => isGiven(query[candidate]));
      return name === undefined ? [] : [{ key, value: query[name] }];
    });
    if (conditions.length === 0 && pages.length === 0) {
      return filter;
    }
    const members = filter === undefined ? new Map<string, string>() : memberTexts(filter);
    for (const { key, value } of pages) {
      if (!(paging[key] ?? []).some((name) => members.has(name))) {
        members.set(key, JSON.stringify(value));
      }
    }
    const where = members.get('where');
    const asked = new Set(where === undefined ? [] : fieldsOf(where));
    const added = conditions
      .filter(({ field }) => !namesOf(field).some((name) => asked.has(name)))
      .map(({ name, field }) => JSON.stringify({ [field]: query[name] }));
    if (added.length > 0) {
      members.set('where', `{"and":[${[...(where === undefined ? [] : [where]), ...added].join(',')}]}`);
    }
    return `{${[...members].map(([key, text]) => `${JSON.stringify(key)}:${text}`).join(',')}}`;
  };
}

/** A repeated parameter matches any of its values. */
const isGiven = (value: unknown): boolean =>
  (typeof value === 'string' && value !== '') ||
  (Array.isArray(value) && value.every((item) => typeof item === 'string'));

/** The fields that a `where` names, also within `and`. */
function fieldsOf(where: string): string[] {
  const names = (value: unknown): string[] =>
    isObject(value)
      ? Object.entries(value).flatMap(([key, inner]) =>
          key === 'and' && Array.isArray(inner) ? inner.flatMap(names) : [key],
        )
      : [];
  return names(JSON.parse(where));
}
