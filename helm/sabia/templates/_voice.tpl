{{/* What the pods of nodes (Asterisk) and edges (Kamailio) have in common. */}}

{{/* (list variable publicAddresses): where the pod is, and in `variable` its name. The start of the image looks its own address up. */}}
{{- define "sabia.placeEnv" -}}
- name: POD_IP
  valueFrom: { fieldRef: { fieldPath: status.podIP } }
- name: MACHINE_NAME
  valueFrom: { fieldRef: { fieldPath: spec.nodeName } }
- name: {{ first . }}
  valueFrom: { fieldRef: { fieldPath: metadata.name } }
{{- $pairs := list }}
{{- range $place, $address := last . }}{{ $pairs = append $pairs (printf "%s=%s" $place $address) }}{{ end }}
- { name: PUBLIC_ADDRESSES, value: {{ join " " $pairs | quote }} }
{{- end }}

{{/* (list root role) */}}
{{- define "sabia.voiceDatabaseEnv" -}}
{{- $database := (first .).Values.asterisk.database }}
{{- with include "sabia.trustFile" (first .) }}
# Read by libpq.
- { name: PGSSLROOTCERT, value: {{ . }} }
{{- end }}
{{- range $name, $value := dict
  "POSTGRES_HOST" ($database.host | default (printf "%s-postgres" (include "sabia.fullname" (first .))))
  "POSTGRES_PORT" $database.port
  "POSTGRES_DATABASE" $database.name
  "POSTGRES_USER" (last .)
  "PGSSLMODE" $database.sslMode
}}
- { name: {{ $name }}, value: {{ $value | toString | quote }} }
{{- end }}
{{- end }}

{{/* (list root component values): what stands before the containers of the pod. */}}
{{- define "sabia.voicePod" -}}
{{- $root := index . 0 }}{{ $component := index . 1 }}{{ $own := index . 2 -}}
serviceAccountName: {{ include "sabia.fullname" $root }}-{{ $component }}
{{ include "sabia.podSecurity" $root }}
{{- $class := $root.Values.asterisk.priorityClass.create | ternary (include "sabia.voicePriorityClass" $root) "" }}
{{ include "sabia.scheduling" (merge (dict "priorityClassName" ($own.priorityClassName | default $class)) $own) }}
{{- if $own.hostNetwork }}
hostNetwork: true
dnsPolicy: ClusterFirstWithHostNet
{{- end }}
# Longer than preStop may take.
terminationGracePeriodSeconds: {{ add $own.drainSeconds 30 }}
topologySpreadConstraints:
  {{- range list "topology.kubernetes.io/zone" "kubernetes.io/hostname" }}
  - topologyKey: {{ . }}
    maxSkew: 1
    whenUnsatisfiable: ScheduleAnyway
    labelSelector:
      matchLabels: {{- include "sabia.selector" (list $root $component) | nindent 8 }}
  {{- end }}
{{- end }}

{{/* (list root component values): the objects beside the StatefulSet. */}}
{{- define "sabia.voiceCompany" -}}
{{- $root := index . 0 }}{{ $component := index . 1 }}{{ $own := index . 2 }}
apiVersion: v1
kind: ServiceAccount
metadata:
  {{- include "sabia.meta" (list $root $component) | nindent 2 }}
automountServiceAccountToken: false
---
apiVersion: policy/v1
kind: PodDisruptionBudget
metadata:
  {{- include "sabia.meta" (list $root $component) | nindent 2 }}
spec:
  maxUnavailable: {{ $own.podDisruptionBudget.maxUnavailable }}
  unhealthyPodEvictionPolicy: AlwaysAllow
  selector:
    matchLabels: {{- include "sabia.selector" (list $root $component) | nindent 6 }}
{{- end }}

{{/* An object of the whole cluster, so its name tells whose it is. */}}
{{- define "sabia.voicePriorityClass" -}}
{{ include "sabia.fullname" . }}-asterisk-{{ .Release.Namespace }}
{{- end }}
