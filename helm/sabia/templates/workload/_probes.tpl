{{/* Alive: the process answers. Ready: it can do its work. A database that is away must not restart what waits for it. */}}
{{- define "sabia.probes" -}}
{{- $alive := dict "grpc" (dict "port" 50051 "service" "alive") }}
{{- $ready := dict "grpc" (dict "port" 50051) }}
{{- if .isGateway }}
{{- $alive = dict "httpGet" (dict "port" "http" "path" "/healthz") }}
{{- $ready = dict "httpGet" (dict "port" "http" "path" "/readyz") }}
{{- end -}}
startupProbe:
  {{- toYaml $alive | nindent 2 }}
  periodSeconds: 2
  timeoutSeconds: 2
  failureThreshold: 60
readinessProbe:
  {{- toYaml $ready | nindent 2 }}
  periodSeconds: 5
  timeoutSeconds: 3
  failureThreshold: 2
livenessProbe:
  {{- toYaml $alive | nindent 2 }}
  periodSeconds: 10
  timeoutSeconds: 5
  failureThreshold: 3
{{- end }}
