import { existsSync } from 'node:fs';
import path from 'node:path';
import { TelephonyServiceService } from '@sabia/protos/sabia/telephony/v1/service';
import type { Dependencies } from './dependencies';
import { createHandlers } from './handlers';

const fileOf = (rpc: string) => `${rpc.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}.ts`;
const handlers = createHandlers({} as Dependencies);

test.each(Object.keys(TelephonyServiceService))('%s has a handler if and only if it has a file', (rpc) => {
  expect(rpc in handlers).toBe(existsSync(path.join(__dirname, fileOf(rpc))));
});
