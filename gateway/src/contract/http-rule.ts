export type HttpMethod = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/** One binding of a google.api.http rule. */
export interface HttpBinding {
  method: HttpMethod;
  template: string;
  /** "*", a field name, or empty when the request has no body. */
  body: string;
  responseBody: string;
}

export type Segment = { literal: string } | { parameter: string };

const verbs: Record<string, HttpMethod> = { get: 'GET', post: 'POST', put: 'PUT', patch: 'PATCH', delete: 'DELETE' };

export function bindingsOf(rule: unknown): HttpBinding[] {
  const { additional_bindings: additional, ...first } = rule as Record<string, unknown>;
  // proto-loader gives a single additional binding as an object, several as an array.
  const further = additional === undefined ? [] : [additional].flat();
  return [first, ...further].map((binding) => bindingOf(binding as Record<string, unknown>));
}

function bindingOf(binding: Record<string, unknown>): HttpBinding {
  const verb = Object.keys(binding).find((key) => key in verbs);
  if (verb === undefined) {
    throw new Error('its google.api.http rule has no get, post, put, patch or delete');
  }
  return {
    method: verbs[verb]!,
    template: String(binding[verb]),
    body: textOr(binding['body'], ''),
    responseBody: textOr(binding['response_body'], ''),
  };
}

function textOr(value: unknown, otherwise: string): string {
  return typeof value === 'string' ? value : otherwise;
}

/** Splits "/api/v1/calls/{id}/hangup" into segments. Wildcards over several segments are not supported. */
export function parseTemplate(template: string): Segment[] {
  if (!template.startsWith('/')) {
    throw new Error(`its path "${template}" does not begin with a slash`);
  }
  return template
    .slice(1)
    .split('/')
    .map((segment) => {
      const parameter = /^\{([a-z][a-z0-9_]*)(?:=\*)?\}$/.exec(segment)?.[1];
      if (parameter !== undefined) {
        return { parameter };
      }
      if (segment === '' || /[{}*]/.test(segment)) {
        throw new Error(`its path "${template}" has a segment that is neither a word nor one parameter`);
      }
      return { literal: segment };
    });
}
