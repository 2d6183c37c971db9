// A service definition as ts-proto generates it: method name → path and codecs. Unary rpcs only.

export type RequestOf<Method> = Method extends { requestDeserialize: (bytes: Buffer) => infer Request }
  ? Request
  : never;
export type ResponseOf<Method> = Method extends { responseDeserialize: (bytes: Buffer) => infer Response }
  ? Response
  : never;

/** The codecs without their types, for code that serves every method alike. */
export interface UntypedMethod {
  path: string;
  requestSerialize: (message: unknown) => Buffer;
  requestDeserialize: (bytes: Buffer) => unknown;
  responseSerialize: (message: unknown) => Buffer;
  responseDeserialize: (bytes: Buffer) => unknown;
}

export function methodsOf(definition: object): [name: string, method: UntypedMethod][] {
  return Object.entries(definition) as [string, UntypedMethod][];
}
