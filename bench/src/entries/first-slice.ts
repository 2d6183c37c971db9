import { hash, verify } from '@node-rs/argon2';
import type { Entry } from '../harness';
import { openHop } from '../floors/hop';
import { openHttpJob } from '../http-job';
import type { OpenStack } from '../stack';

/** The first requests that go all the way: gateway, gRPC, PostgreSQL and back. */
export function firstSlice(openStack: OpenStack): Entry[] {
  const json = { 'content-type': 'application/json' };
  return [
    {
      name: 'GET /users/me',
      floorName: 'gRPC hop',
      prepare: async () => {
        const stack = await openStack();
        const hop = await openHop();
        const me = openHttpJob({
          origin: stack.gatewayUrl,
          connections: 64,
          request: () => ({ method: 'GET', path: '/api/v1/users/me', headers: { authorization: stack.token } }),
          expectedStatus: 200,
        });
        return {
          floor: hop.job,
          product: me.job,
          close: async () => void (await Promise.all([hop.close(), me.close()])),
        };
      },
    },
    {
      name: 'POST /users/accessTokens (a durable row)',
      floorName: 'gRPC hop',
      prepare: async () => {
        const stack = await openStack();
        const hop = await openHop();
        const create = openHttpJob({
          origin: stack.gatewayUrl,
          connections: 64,
          request: () => ({
            method: 'POST',
            path: '/api/v1/users/accessTokens',
            headers: { ...json, authorization: stack.token },
            body: '{"ttl":60}',
          }),
          expectedStatus: 200,
        });
        return {
          floor: hop.job,
          product: create.job,
          close: async () => void (await Promise.all([hop.close(), create.close()])),
        };
      },
    },
    {
      name: 'POST /users/login',
      floorName: 'argon2id verify',
      concurrency: 8,
      prepare: async () => {
        const stack = await openStack();
        const stored = await hash(stack.password, { memoryCost: 19_456, timeCost: 2, parallelism: 1 });
        const login = openHttpJob({
          origin: stack.gatewayUrl,
          connections: 8,
          request: () => ({
            method: 'POST',
            path: '/api/v1/users/login',
            headers: json,
            body: JSON.stringify({ email: stack.email, password: stack.password }),
          }),
          expectedStatus: 200,
        });
        return {
          floor: async () => void (await verify(stored, stack.password)),
          product: login.job,
          close: login.close,
        };
      },
    },
  ];
}
