/** As much of the shape of objects as tests look at, whatever the kind; the rest is the business of the schemas. */
export interface KubeObject {
  kind: string;
  metadata: Metadata;
  spec: Spec;
  data?: Record<string, string>;
  stringData?: Record<string, string>;
}

interface Metadata {
  name: string;
  labels: Record<string, string>;
  annotations: Record<string, string> | undefined;
}

interface Spec {
  template: { metadata: { labels: Record<string, string>; annotations: Record<string, string> }; spec: PodSpec };
  replicas?: number;
  podManagementPolicy?: string;
  minReadySeconds?: number;
  volumeClaimTemplates?: { metadata: { name: string } }[];
  // Service
  type?: string;
  clusterIP?: string;
  selector: Record<string, string>;
  ports: { name: string; port: number; targetPort?: string }[];
  externalTrafficPolicy?: string;
  allocateLoadBalancerNodePorts?: boolean;
  // PodDisruptionBudget
  maxUnavailable?: number | string;
  // NetworkPolicy
  podSelector: Selector;
  policyTypes: ('Ingress' | 'Egress')[];
  ingress?: NetworkRule[];
  egress?: NetworkRule[];
  // PrometheusRule
  groups: { rules: unknown[] }[];
}

export interface PodSpec {
  serviceAccountName?: string;
  automountServiceAccountToken?: boolean;
  priorityClassName?: string;
  enableServiceLinks?: boolean;
  hostNetwork?: boolean;
  hostPID?: boolean;
  hostIPC?: boolean;
  securityContext: { runAsNonRoot?: boolean; runAsUser: number; seccompProfile: { type: string } };
  terminationGracePeriodSeconds: number;
  containers: [Container];
  initContainers?: Container[];
  volumes?: Volume[];
}

export interface Container {
  image: string;
  imagePullPolicy?: string;
  command?: string[];
  args?: string[];
  env?: EnvEntry[];
  envFrom?: { configMapRef: { name: string } }[];
  ports?: { name: string; hostPort?: number }[];
  volumeMounts?: { name: string; mountPath: string }[];
  securityContext: {
    allowPrivilegeEscalation?: boolean;
    readOnlyRootFilesystem?: boolean;
    privileged?: boolean;
    capabilities: { add?: string[]; drop: string[] };
  };
  resources: { requests?: Record<string, string>; limits?: Record<string, string> };
  lifecycle: { preStop: { sleep: { seconds: number }; exec: { command: string[] } } };
  startupProbe: Probe;
  readinessProbe: Probe;
  livenessProbe: Probe;
}

export interface Probe {
  grpc: { service?: string };
  httpGet: { path: string };
}

export interface EnvEntry {
  name: string;
  value?: string;
  valueFrom?: {
    secretKeyRef?: { name: string; key: string; optional?: boolean };
    fieldRef?: { fieldPath: string };
  };
}

export interface Volume {
  name: string;
  configMap?: { name: string };
  secret?: { secretName: string };
  persistentVolumeClaim?: { claimName: string };
}

export interface Selector {
  matchLabels?: Record<string, string>;
}

export interface NetworkPeer {
  ipBlock?: { cidr: string; except?: string[] };
  namespaceSelector?: Selector;
  podSelector?: Selector;
}

export interface NetworkRule {
  from?: NetworkPeer[] | null;
  to?: NetworkPeer[] | null;
  ports?: { protocol?: string; port?: number; endPort?: number }[];
}
