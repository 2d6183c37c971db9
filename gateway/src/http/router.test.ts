import * as fc from 'fast-check';
import { parseTemplate } from '../contract/http-rule';
import { Router } from './router';

const router = new Router<{ method: string; template: string; segments: ReturnType<typeof parseTemplate> }>();
for (const [method, template] of [
  ['GET', '/users'],
  ['GET', '/users/me'],
  ['GET', '/users/{uuid}'],
  ['DELETE', '/users/{uuid}'],
  ['POST', '/users/{uuid}/x'],
  ['GET', '/users/me/y'],
  ['HEAD', '/tokens'],
  ['GET', '/tokens'],
] as const) {
  router.add({ method, template, segments: parseTemplate(template) });
}

const find = (method: string, path: string): string => {
  const match = router.find(method, path);
  switch (match.kind) {
    case 'found':
      return [match.route.method, match.route.template, ...match.parameters].join(' ');
    case 'other-method':
      return `allow ${match.allowed.join(' ')}`;
    default:
      return match.kind;
  }
};

describe('finding a route', () => {
  it.each([
    ['GET', '/users', 'GET /users'],
    ['GET', '/users/', 'GET /users'],
    ['GET', '/users/me', 'GET /users/me'],
    ['GET', '/users/7', 'GET /users/{uuid} 7'],
    ['DELETE', '/users/me', 'allow GET HEAD OPTIONS'],
    ['POST', '/users/me/x', 'POST /users/{uuid}/x me'],
    ['HEAD', '/users', 'GET /users'],
    ['HEAD', '/tokens', 'HEAD /tokens'],
    ['GET', '/users/a%2Fb', 'GET /users/{uuid} a/b'],
    ['GET', '/users/%6De', 'GET /users/me'],
    ['PUT', '/users', 'allow GET HEAD OPTIONS'],
    ['PUT', '/users/me', 'allow GET HEAD OPTIONS'],
    ['GET', '/users//x', 'unknown'],
    ['GET', '/Users', 'unknown'],
    ['GET', '/', 'unknown'],
    ['GET', '/users/%E0%A4%A', 'malformed'],
    ['GET', '/users/%ff', 'malformed'],
  ])('%s %s', (method, path, expected) => {
    expect(find(method, path)).toBe(expected);
  });

  it('never throws', () => {
    fc.assert(
      fc.property(fc.webPath(), fc.string(), (path, tail) =>
        expect(() => find('GET', `/users${path}${tail}`)).not.toThrow(),
      ),
    );
  });
});
