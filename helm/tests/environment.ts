import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { KubeObject } from './kube-object';
import { root } from './render';

/** What the kubelet knows and a secret of the operator's own holds. */
export interface Surroundings {
  podIp: string;
  machine: string;
  /** Of a pod of a StatefulSet. */
  ordinal: number;
  /** By key: good values for whatever the chart takes from a Secret that it does not make. */
  secrets: Record<string, string>;
}

/** The environment of the first container of a Deployment, StatefulSet or Job, as the kubelet would make it. */
export function environmentOf(
  workload: KubeObject,
  objects: KubeObject[],
  { podIp, machine, ordinal, secrets }: Surroundings,
): Record<string, string> {
  const [container] = workload.spec.template.spec.containers;
  const environment: Record<string, string> = {};
  for (const { configMapRef } of container.envFrom ?? []) {
    Object.assign(environment, named(objects, 'ConfigMap', configMapRef.name)?.data);
  }
  for (const { name, value, valueFrom } of container.env ?? []) {
    const ref = valueFrom?.secretKeyRef;
    if (ref) {
      const given =
        named(objects, 'Secret', ref.name)?.stringData?.[ref.key] ??
        secrets[`${ref.name}/${ref.key}`] ??
        secrets[ref.key];
      if (given === undefined && !ref.optional) throw new Error(`there is no key ${ref.key} in any Secret`);
      if (given !== undefined) environment[name] = given;
    } else if (valueFrom?.fieldRef) {
      const known: Record<string, string> = {
        'status.podIP': podIp,
        'spec.nodeName': machine,
        'metadata.name': `${workload.metadata.name}-${ordinal}`,
      };
      environment[name] = known[valueFrom.fieldRef.fieldPath] ?? '';
    } else {
      environment[name] = (value ?? '').replace(/\$\((\w+)\)/g, (whole, other: string) => environment[other] ?? whole);
    }
  }
  return environment;
}

/** What the image itself sets. */
export function imageEnvironment(name: string): Record<string, string> {
  const file = readFileSync(join(root, `deploy/docker/${name}.Dockerfile`), 'utf8').replaceAll('\\\n', ' ');
  const lines = [...file.matchAll(/^ENV (.*)$/gm)].flatMap(([, line = '']) => line.trim().split(/\s+/));
  return Object.fromEntries(lines.map((entry) => entry.split(/=(.*)/s).slice(0, 2) as [string, string]));
}

const named = (objects: KubeObject[], kind: string, name: string): KubeObject | undefined =>
  objects.find((object) => object.kind === kind && object.metadata.name === name);

/** Of the form that the README of the chart describes. */
export const surroundings: Surroundings = {
  podIp: '10.244.1.7',
  machine: 'worker-a',
  ordinal: 0,
  secrets: {
    ...Object.fromEntries(
      ['identity', 'extensions', 'telephony', 'billing', 'webhook'].map((service) => [
        `${service}-database-url`,
        `postgres://sabia_${service}:secret@postgres.example.internal:5432/sabia?sslmode=require`,
      ]),
    ),
    'admin-database-url': 'postgres://admin:secret@postgres.example.internal:5432/postgres',
    'asterisk-database-password': 'secret',
    'edge-database-password': 'secret',
    // Where the values of a test name another Secret.
    'nats/url': 'tls://nats.example.internal:4222',
    'redis-credentials/url': 'redis://redis.example.internal:6379',
    'nats-url': 'nats://sabia:secret@nats-0:4222,nats://sabia:secret@nats-1:4222',
    'redis-url': 'rediss://:secret@redis.example.internal:6379',
    'smtp-url': 'smtps://sabia:secret@smtp.example.internal:465',
    'extension-keys': `2026:${Buffer.alloc(32, 1).toString('base64')}`,
    'webhook-keys': `2026:${Buffer.alloc(32, 2).toString('base64')}`,
    'recording-secret': 'a secret of sixteen and more',
    'ari-password': 'secret',
    'edge-secret': 'a secret of sixteen and more',
    'test-carrier-password': 'secret',
    'pjsip-trunks': '[carrier]\ntype=endpoint\n',
    trunks:
      '[{"name":"carrier","server":"sip.carrier.example","username":"sabia","password":"a-secret","format":"e164"}]',
    'asaas-api-key': '$aact_secret',
    'asaas-webhook-token': 'secret',
    's3-access-key-id': 'key',
    's3-secret-access-key': 'secret',
  },
};
