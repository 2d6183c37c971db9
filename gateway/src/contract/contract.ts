import { existsSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { fromJSON } from '@grpc/proto-loader';
import type { ServiceDefinition } from '@grpc/proto-loader';
import { Root } from 'protobufjs';
import type { Method, Type } from 'protobufjs';
import { textOf } from './comment';

/** One rpc as its proto declares it. */
export interface Rpc {
  /** The folder of the service, which also names its address variable: "identity". */
  serviceName: string;
  /** "sabia.identity.v1.IdentityService" */
  service: string;
  method: string;
  /** "/sabia.identity.v1.IdentityService/Login" */
  path: string;
  requestType: Type;
  responseType: Type;
  streaming: boolean;
  deprecated: boolean;
  /** Whether the rpc may be tried again. */
  idempotent: boolean;
  options: Record<string, unknown>;
  /** What the proto tells API users about the rpc. */
  comment: string;
}

export interface Contract {
  serviceNames: string[];
  rpcs: Rpc[];
}

export class ContractError extends Error {
  override readonly name = 'ContractError';

  constructor(problems: string[]) {
    super(`The protos declare routes that cannot be served:\n${problems.map((problem) => `  ${problem}`).join('\n')}`);
  }
}

/** The folder of the protos package, which the gateway reads at start. */
export function defaultProtoRoot(): string {
  return path.dirname(require.resolve('@sabia/protos/package.json'));
}

/** Every sabia/<name>/v1/service.proto below the roots. */
export function discoverServices(roots: readonly string[]): string[] {
  const names = roots.flatMap((root) => {
    const folder = path.join(root, 'sabia');
    return existsSync(folder)
      ? readdirSync(folder).filter((name) => existsSync(path.join(folder, name, 'v1', 'service.proto')))
      : [];
  });
  return [...new Set(names)].sort();
}

/** What is published beside the responses of rpcs: the bodies of webhooks and of live events. */
const publishedFiles = ['sabia/webhook/v1/payloads.proto', 'sabia/events/v1/live.proto'];

const isIn = (roots: readonly string[], file: string): boolean =>
  roots.some((folder) => existsSync(path.join(folder, file)));

export function loadContract(roots: readonly string[]): Contract {
  const serviceNames = discoverServices(roots);
  const files = serviceNames.map((name) => `sabia/${name}/v1/service.proto`);
  const root = loadReflection(roots, [...files, ...publishedFiles.filter((file) => isIn(roots, file))]);
  // Not from the files, which were parsed for the reflection.
  const definitions = fromJSON(root.toJSON(), { keepCase: true, longs: Number, defaults: true });

  const rpcs = Object.entries(definitions).flatMap(([service, definition]) => {
    if (!isService(definition)) {
      return [];
    }
    const serviceName = service.split('.')[1] ?? '';
    return Object.entries(definition).map(([method, rpc]): Rpc => {
      const reflected = root.lookupService(service).methods[method]?.resolve() as Method | undefined;
      const options = rpc.options as Record<string, unknown>;
      const level = options['idempotency_level'];
      return {
        serviceName,
        service,
        method,
        path: rpc.path,
        requestType: reflected?.resolvedRequestType as Type,
        responseType: reflected?.resolvedResponseType as Type,
        streaming: rpc.requestStream || rpc.responseStream,
        deprecated: options['deprecated'] === true,
        idempotent: level === 'NO_SIDE_EFFECTS' || level === 'IDEMPOTENT',
        options,
        comment: textOf(reflected?.comment),
      };
    });
  });
  return { serviceNames, rpcs };
}

/** proto-loader gives services and method options; field options and comments are only in the reflection. */
function loadReflection(roots: readonly string[], files: string[]): Root {
  const root = new Root();
  root.resolvePath = (_origin, target) => {
    if (path.isAbsolute(target)) {
      return target;
    }
    const file = roots.map((folder) => path.join(folder, target)).find(existsSync);
    // protobufjs would leave out what it cannot find, and it has those of Google itself.
    if (file === undefined && !target.startsWith('google/protobuf/'))
      throw new Error(`${target} is not below ${roots.join(' or ')}`);
    return file ?? null;
  };
  root.loadSync(files, { keepCase: true, alternateCommentMode: true });
  root.resolveAll();
  return root;
}

function isService(definition: object): definition is ServiceDefinition {
  return !('format' in definition);
}
