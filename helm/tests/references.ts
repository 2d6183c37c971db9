import type { PodSpec } from './kube-object';

/** Kind and name of everything that must be there before the pod can run. */
export function referencesOf(pod: PodSpec): [kind: string, name: string][] {
  const volumes = pod.volumes ?? [];
  const [{ envFrom = [], env = [] }] = pod.containers;
  const named: [string, (string | undefined)[]][] = [
    ['ServiceAccount', [pod.serviceAccountName]],
    [
      'ConfigMap',
      [...volumes.map(({ configMap }) => configMap?.name), ...envFrom.map((from) => from.configMapRef.name)],
    ],
    [
      'Secret',
      [...volumes.map(({ secret }) => secret?.secretName), ...env.map((e) => e.valueFrom?.secretKeyRef?.name)],
    ],
    ['PersistentVolumeClaim', volumes.map(({ persistentVolumeClaim }) => persistentVolumeClaim?.claimName)],
  ];
  return named.flatMap(([kind, names]) =>
    names.flatMap((name): [string, string][] => (name === undefined ? [] : [[kind, name]])),
  );
}
