import type { Segment } from '../contract/http-rule';

export interface Routable {
  method: string;
  segments: Segment[];
}

export type Match<R> =
  | { kind: 'found'; route: R; parameters: string[] }
  | { kind: 'other-method'; allowed: string[] }
  | { kind: 'unknown' }
  | { kind: 'malformed' };

interface Node<R> {
  literals: Map<string, Node<R>>;
  parameter?: Node<R>;
  routes: Map<string, R>;
}

/** Finds routes by path. Literal segments win over parameters, so /users/me is never the user called "me". */
export class Router<R extends Routable> {
  readonly #root: Node<R> = emptyNode();

  add(route: R): void {
    let node = this.#root;
    for (const segment of route.segments) {
      node = 'literal' in segment ? literalChild(node, segment.literal) : (node.parameter ??= emptyNode());
    }
    node.routes.set(route.method, route);
  }

  /** `path` is still percent-encoded, without the query. */
  find(method: string, path: string): Match<R> {
    const segments = decodeSegments(path);
    if (segments === undefined) {
      return { kind: 'malformed' };
    }
    const allowed = new Set<string>();
    const found = this.#search(this.#root, segments, 0, [], method, allowed);
    if (found !== undefined) {
      return found;
    }
    return allowed.size === 0 ? { kind: 'unknown' } : { kind: 'other-method', allowed: withImplied(allowed) };
  }

  #search(
    node: Node<R>,
    segments: string[],
    index: number,
    parameters: string[],
    method: string,
    allowed: Set<string>,
  ): Match<R> | undefined {
    const segment = segments[index];
    if (segment === undefined) {
      // HEAD is GET without the body, unless a route says otherwise.
      const route = node.routes.get(method) ?? (method === 'HEAD' ? node.routes.get('GET') : undefined);
      for (const known of node.routes.keys()) {
        allowed.add(known);
      }
      return route && { kind: 'found', route, parameters };
    }
    const literal = node.literals.get(segment);
    const byLiteral = literal && this.#search(literal, segments, index + 1, parameters, method, allowed);
    // A path that literals match is not matched by parameters as well, whatever the method: PUT /users/me must not change the user "me".
    if (byLiteral !== undefined || allowed.size > 0 || node.parameter === undefined || segment === '') {
      return byLiteral;
    }
    return this.#search(node.parameter, segments, index + 1, [...parameters, segment], method, allowed);
  }
}

function emptyNode<R>(): Node<R> {
  return { literals: new Map(), routes: new Map() };
}

function literalChild<R>(node: Node<R>, literal: string): Node<R> {
  let child = node.literals.get(literal);
  if (child === undefined) {
    child = emptyNode();
    node.literals.set(literal, child);
  }
  return child;
}

/** Undefined when the percent-encoding is invalid. A slash at the end is ignored. */
function decodeSegments(path: string): string[] | undefined {
  const trimmed = path.length > 1 && path.endsWith('/') ? path.slice(1, -1) : path.slice(1);
  const segments = trimmed.split('/');
  if (!path.includes('%')) {
    return segments;
  }
  try {
    return segments.map(decodeURIComponent);
  } catch {
    return undefined;
  }
}

function withImplied(methods: Set<string>): string[] {
  return [...methods, ...(methods.has('GET') && !methods.has('HEAD') ? ['HEAD'] : []), 'OPTIONS'].sort();
}
