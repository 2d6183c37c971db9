import { testNumbers } from '../asterisk/test-numbers';
import { databaseName, databaseUrl } from '../database';
import type { ManagedProcess } from '../process/managed-process';
import type { Servers } from '../servers';
import { domainSuffix, type Blueprint, type ServicePlan } from './blueprint';
import type { CallSwitch } from './call-switch';
import { seedDemo } from './demo';
import { grantDemoCredit } from './demo-credit';
import { seedDemoExtension } from './demo-extension';
import { testNumberNames, type ProcessesFile, type SipAddresses, type StackFile } from './stack-file';

/** The running parts of a stack. */
export interface StackParts {
  blueprint: Blueprint;
  servers: Servers;
  callSwitch: CallSwitch;
}

const gatewayUrlOf = ({ gateways }: Blueprint): string => gateways[0]?.url ?? '';

/** Creates the demo account with an extension and credit; existing ones are left unchanged. */
export async function createDemo(home: string, { blueprint }: StackParts): Promise<StackFile['demo']> {
  const { services, mailbox } = blueprint;
  const grpcOf = (name: string) => services.find((service) => service.name === name)?.grpc ?? '';
  const apiUrl = `${gatewayUrlOf(blueprint)}/api/v1`;
  const demo = await seedDemo({ home, apiUrl, mailboxUrl: mailbox.url, domainSuffix });
  await grantDemoCredit({ token: demo.token, identity: grpcOf('identity'), billing: grpcOf('billing') });
  return { ...demo, extension: await seedDemoExtension(apiUrl, demo) };
}

type Processes = ReadonlyMap<string, ManagedProcess>;

export function describeStack(
  parts: StackParts,
  demo: StackFile['demo'],
  services: readonly ServicePlan[],
  processes: Processes,
): StackFile {
  const { blueprint, servers } = parts;
  return {
    gatewayUrl: gatewayUrlOf(blueprint),
    consoleUrl: blueprint.consoleUrl,
    operator: blueprint.operator,
    mailboxUrl: blueprint.mailbox.url,
    postgresUrl: databaseUrl(servers.postgres.url, databaseName),
    natsUrl: servers.nats.url,
    redisUrl: servers.redis.url,
    sip: sipAddresses(parts),
    demo,
    testNumbers: Object.fromEntries(
      testNumberNames.map((name) => [name, testNumbers[name]]),
    ) as StackFile['testNumbers'],
    testCarrier: parts.callSwitch.switches[0]?.testCarrier ?? null,
    services: services.map(({ name, grpc }) => ({ name, pid: processes.get(name)?.pid, grpc })),
  };
}

function sipAddresses({ blueprint, callSwitch }: StackParts): SipAddresses | null {
  const [edge] = callSwitch.edges;
  if (!edge) return null;
  const ws = `${gatewayUrlOf(blueprint).replace(/^http/, 'ws')}/sip`;
  return { udp: edge.sipUdp, tcp: edge.sipTcp, ws };
}

export function describeProcesses({ blueprint, servers, callSwitch }: StackParts, processes: Processes): ProcessesFile {
  const urls = new Map<string, string>(blueprint.gateways.map(({ name, url }) => [name, url]));
  urls.set('mailbox', blueprint.mailbox.url);
  const metrics = new Map(
    [...blueprint.gateways, ...blueprint.services].map(({ name, metricsUrl }) => [name, metricsUrl]),
  );
  const own = (['postgres', 'nats', 'redis'] as const).map((name) => ({ name, pid: servers[name].pid }));
  const voice = [...callSwitch.switches, ...callSwitch.edges].map(({ name, pid }) => ({ name, pid }));
  const others = [...processes.values()].map(({ name, pid }) => ({
    ...{ name, pid },
    ...{ url: urls.get(name), metricsUrl: metrics.get(name) },
  }));
  return { supervisor: process.pid, processes: [...own, ...voice, ...others] };
}
