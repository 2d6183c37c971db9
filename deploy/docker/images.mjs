// The images there are, and how each is built. Names are those that the Helm chart asks for.
import { readFileSync, readdirSync } from 'node:fs';
import { join, resolve } from 'node:path';

export const root = resolve(import.meta.dirname, '../..');

const workspaces = [...readdirSync(join(root, 'services')).map((name) => `services/${name}`), 'gateway'];

/** { name, dockerfile, workspace? } of each. */
export const images = [
  ...workspaces.map((workspace) => ({
    name: workspace.split('/').at(-1),
    dockerfile: 'deploy/docker/Dockerfile',
    workspace,
  })),
  { name: 'asterisk', dockerfile: 'deploy/docker/asterisk.Dockerfile' },
  { name: 'kamailio', dockerfile: 'deploy/docker/kamailio.Dockerfile' },
];

/**
 * docker, podman, buildah and the kubelet all resolve "localhost/" to the same place. A name without a host means docker.io to some and
 * localhost to others; and no client ever pulls a foreign image from localhost.
 */
export const defaultRegistry = 'localhost/sabia';

/** The version of the services, unless --tag names another. */
export const defaultTag = JSON.parse(readFileSync(join(root, 'gateway/package.json'), 'utf8')).version;
