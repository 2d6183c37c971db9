// A service definition as ts-proto generates it: method name → path and codecs. Unary RPCs only.

export type RequestOf<Method> = Method extends { requestDeserialize: (bytes: Buffer) => infer Request }
  ? Request
  : never;
export type ResponseOf<Method> = Method extends { responseDeserialize: (bytes: Buffer) => infer Response }
  ? Response
  : never;

/** The codecs without their types, for code that treats every method alike. */
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

/** Splits "/sabia.identity.v1.IdentityService/Login" into service and method. */
export function splitPath(path: string): { service: string; method: string } {
  const [, service = '', method = ''] = path.split('/');
  return { service, method };
}
