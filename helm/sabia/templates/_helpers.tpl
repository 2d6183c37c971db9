{{- define "sabia.fullname" -}}
{{- $name := default .Chart.Name .Values.nameOverride }}
{{- default (contains $name .Release.Name | ternary .Release.Name (printf "%s-%s" .Release.Name $name)) .Values.fullnameOverride | trunc 40 | trimSuffix "-" }}
{{- end }}

{{/* (list root component): by which Services, policies and controllers know the pods; never changes. */}}
{{- define "sabia.selector" -}}
app.kubernetes.io/name: {{ default (first .).Chart.Name (first .).Values.nameOverride }}
app.kubernetes.io/instance: {{ (first .).Release.Name }}
app.kubernetes.io/component: {{ last . }}
{{- end }}

{{/* (list root component) */}}
{{- define "sabia.meta" -}}
name: {{ include "sabia.fullname" (first .) }}-{{ last . }}
namespace: {{ (first .).Release.Namespace }}
labels:
  {{- include "sabia.selector" . | nindent 2 }}
  app.kubernetes.io/part-of: sabia
  app.kubernetes.io/version: {{ (first .).Chart.AppVersion | quote }}
  app.kubernetes.io/managed-by: {{ (first .).Release.Service }}
  helm.sh/chart: {{ (first .).Chart.Name }}-{{ (first .).Chart.Version }}
{{- end }}

{{/* (list base over): unlike sprig's merge it lets false, 0 and [] win. */}}
{{- define "sabia.overlay" -}}
{{- $all := deepCopy (first .) }}
{{- range $key, $value := last . }}
{{- if and (kindIs "map" $value) (kindIs "map" (get $all $key)) }}
{{- $value = include "sabia.overlay" (list (get $all $key) $value) | fromYaml }}
{{- end }}
{{- $_ := set $all $key $value }}
{{- end }}
{{- toYaml $all }}
{{- end }}

{{/* The services and the gateway by name, each with the defaults filled in and all that it reaches. */}}
{{- define "sabia.workloads" -}}
{{- $all := dict }}
{{- range $name, $own := merge (dict "gateway" .Values.gateway) .Values.services }}
{{- $workload := include "sabia.overlay" (list $.Values.defaults $own) | fromYaml }}
{{- $_ := set $workload "name" $name }}
{{- $_ := set $workload "isGateway" (eq $name "gateway") }}
{{- $reaches := concat (list "dns" "nats") $workload.reaches }}
{{- if not $workload.isGateway }}{{ $reaches = append $reaches "postgres" }}{{ end }}
{{- if $.Values.otlpEndpoint }}{{ $reaches = append $reaches "otlp" }}{{ end }}
{{- if and (has "recordings" $reaches) (eq $.Values.recordings.storage "s3") }}{{ $reaches = append $reaches "s3" }}{{ end }}
{{- if not $.Values.asterisk.enabled }}{{ $reaches = without $reaches "nodes" "edges" }}{{ end }}
{{- $_ := set $workload "reaches" $reaches }}
{{- $_ := set $all $name $workload }}
{{- end }}
{{- toYaml $all }}
{{- end }}

{{/* (list root phase weight): before ("pre") or after ("post") the rest; nothing where migrations are no hooks. */}}
{{- define "sabia.hook" -}}
{{- if (first .).Values.migrations.asHook -}}
helm.sh/hook: {{ index . 1 }}-install,{{ index . 1 }}-upgrade
helm.sh/hook-weight: {{ last . | quote }}
helm.sh/hook-delete-policy: before-hook-creation,hook-succeeded
{{- end }}
{{- end }}
