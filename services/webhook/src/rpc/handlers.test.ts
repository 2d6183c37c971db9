import { existsSync } from 'node:fs';
import path from 'node:path';
import { WebhookServiceService } from '@sabia/protos/sabia/webhook/v1/service';
import type { Dependencies } from './dependencies';
import { createHandlers } from './handlers';

const fileOf = (rpc: string) => `${rpc.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}.ts`;

test.each(Object.keys(WebhookServiceService))('%s has a handler if and only if it has a file', (rpc) => {
  const handlers = createHandlers({} as Dependencies);
  expect(rpc in handlers).toBe(existsSync(path.join(__dirname, fileOf(rpc))));
});
