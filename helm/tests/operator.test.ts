import { createNetwork } from './network';
import { environmentOf, surroundings } from './environment';
import { find, minimal, namespace, ofKind, refusal, render, withPods } from './render';
import type { Values } from './render';

const token = 'sabia-operator-of-at-least-32-characters';
const withOperator = (operator: Values = {}): Values =>
  minimal({
    operator: { enabled: true, ...operator },
    secrets: { values: { 'operator-token': token } },
    ingress: { enabled: true, tlsSecret: 'certificate' },
  });

const operators = { namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': 'operators' } } };

function reached(values: Values) {
  const objects = render(values);
  const { reaches } = createNetwork(ofKind(objects, 'NetworkPolicy'), namespace);
  const gateway = withPods(objects)
    .map(({ spec }) => spec.template.metadata.labels)
    .find((labels) => labels['app.kubernetes.io/component'] === 'gateway')!;
  return (from: string, port: number) =>
    reaches({ namespace: from, labels: {} }, { place: { namespace, labels: gateway }, port });
}

test('there is no trace of it unless it is switched on', () => {
  const objects = render(minimal({}));
  expect(objects.filter(({ metadata }) => metadata.name.endsWith('-operator'))).toEqual([]);
  expect(JSON.stringify(objects)).not.toContain('OPERATOR_');
});

test('the gateway listens on a further port, and identity has the token from a Secret', () => {
  const objects = render(withOperator());
  const environment = (name: string) => environmentOf(find(objects, 'Deployment', name), objects, surroundings);
  expect(environment('gateway')).toMatchObject({ OPERATOR_PORT: '8081', OPERATOR_HOST: '0.0.0.0' });
  expect(environment('gateway')['OPERATOR_TOKEN']).toBeUndefined();
  expect(environment('identity')['OPERATOR_TOKEN']).toBe(token);
  expect(JSON.stringify(ofKind(objects, 'ConfigMap'))).not.toContain(token);
});

test('its Service is inside the cluster, and the Ingress leads to another', () => {
  const objects = render(withOperator());
  expect(find(objects, 'Service', 'operator').spec).toMatchObject({
    type: 'ClusterIP',
    ports: [{ port: 80, targetPort: 8081 }],
  });
  expect(JSON.stringify(ofKind(objects, 'Ingress'))).not.toContain('operator');
});

test('nobody reaches it, but for those who are named', () => {
  const closed = reached(withOperator());
  expect([closed('operators', 8081), closed('ingress-nginx', 8080)]).toEqual([false, true]);
  const open = reached(withOperator({ from: [operators] }));
  expect([open('operators', 8081), open('default', 8081), open('ingress-nginx', 8081)]).toEqual([true, false, false]);
});

test('a short token is refused', () => {
  const values = minimal({ operator: { enabled: true }, secrets: { values: { 'operator-token': 'short' } } });
  expect(refusal(values)).toContain('operator-token');
});
