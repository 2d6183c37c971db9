import { z } from 'zod';

/** A key of AES-256 with its name, which is stored beside the values it has sealed. */
export interface NamedKey {
  id: string;
  bytes: Buffer;
}

const idPattern = /^[A-Za-z0-9_.-]{1,32}$/;
const keyBytes = 32;

/** A variable of the form "id:key,id:key…", each key in base64. The first one seals; all of them open. */
export const keyListVariable = () => z.string().transform(readKeys);

/** Error messages never contain any part of a key. */
function readKeys(text: string, context: z.RefinementCtx): NamedKey[] {
  const keys: NamedKey[] = [];
  for (const [index, entry] of text.split(',').entries()) {
    const [id = '', encoded = ''] = entry.trim().split(/:(.*)/s);
    const bytes = Buffer.from(encoded, 'base64');
    if (!idPattern.test(id)) {
      context.addIssue(
        `expected "id:key,id:key…"; the id of key ${index + 1} is not 1 to 32 letters, digits, ".", "_", "-"`,
      );
    } else if (bytes.length !== keyBytes || bytes.toString('base64') !== encoded) {
      context.addIssue(`key "${id}" is not ${keyBytes} bytes in base64`);
    } else if (keys.some((key) => key.id === id)) {
      context.addIssue(`key "${id}" is there twice`);
    } else {
      keys.push({ id, bytes });
    }
  }
  return keys;
}
