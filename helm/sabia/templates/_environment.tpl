{{/* (list root workload): its environment without secrets. What `env` says wins. */}}
{{- define "sabia.config" -}}
{{- include "sabia.overlay" (list (include "sabia.derivedConfig" . | fromYaml) (last .).env) }}
{{- end }}

{{- define "sabia.derivedConfig" -}}
{{- $values := (first .).Values }}{{ $workload := last . }}{{ $fullname := include "sabia.fullname" (first .) -}}
NODE_ENV: production
LOG_LEVEL: {{ $values.logLevel }}
PUBLIC_URL: {{ $values.publicUrl | trimSuffix "/" | quote }}
METRICS_PORT: '9464'
SHUTDOWN_TIMEOUT_MS: {{ mul $workload.shutdown.timeoutSeconds 1000 | quote }}
{{ $workload.isGateway | ternary "PORT: '8080'" "GRPC_PORT: '50051'" }}
{{- if and $workload.isGateway $values.operator.enabled }}
OPERATOR_PORT: '8081'
OPERATOR_HOST: 0.0.0.0
{{- end }}
{{- with include "sabia.trustFile" (first .) }}
NODE_EXTRA_CA_CERTS: {{ . }}
{{- end }}
{{- with $values.otlpEndpoint }}
OTEL_EXPORTER_OTLP_ENDPOINT: {{ . | quote }}
{{- end }}
{{- range $workload.calls }}
{{ upper . }}_ADDRESS: dns:///{{ $fullname }}-{{ . }}:50051
{{- end }}
{{- if eq $workload.name "identity" }}
ACCOUNT_DOMAIN_SUFFIX: {{ $values.accountDomainSuffix | quote }}
{{- else if eq $workload.name "extensions" }}
{{- with $values.iceServers }}
ICE_SERVERS: {{ toJson . | quote }}
{{- end }}
{{- with $values.sipAddresses }}
SIP_PUBLIC_ADDRESSES: {{ join "," . | quote }}
{{- end }}
{{- else if eq $workload.name "telephony" }}
SWITCH: {{ $values.asterisk.enabled | ternary "asterisk" "simulated" }}
RECORDING_RETENTION_DAYS: {{ int64 $values.recordings.retentionDays | quote }}
{{- end }}
{{- if has "nodes" $workload.reaches }}
SWITCHES_DNS_NAME: _ari._tcp.{{ $fullname }}-asterisk.{{ (first .).Release.Namespace }}.svc.{{ $values.clusterDomain }}
SWITCH_SIP_PORT: {{ $values.asterisk.sipPort | quote }}
SWITCH_CAPACITY: {{ int64 $values.asterisk.capacity | quote }}
SIP_CAPTURE: {{ $values.asterisk.capture.enabled | ternary "0.0.0.0:9060" "off" | quote }}
SIP_CAPTURE_RETENTION_DAYS: {{ int64 $values.asterisk.capture.retentionDays | quote }}
{{- end }}
{{- if has "edges" $workload.reaches }}
SIP_WS_URL: ws://{{ $fullname }}-kamailio:8060/
{{- end }}
{{- if has "s3" $workload.reaches }}
{{- range $key, $value := $workload.isGateway | ternary dict $values.recordings.s3 }}
RECORDINGS_S3_{{ upper $key }}: {{ $value | quote }}
{{- end }}
{{- else if has "recordings" $workload.reaches }}
{{ $workload.isGateway | ternary "RECORDINGS_PATH" "RECORDINGS_FOLDER" }}: /recordings
{{- end }}
{{- end }}

{{/* (list root workload): variable → key of its secrets. */}}
{{- define "sabia.secretKeys" -}}
{{- $keys := dict "NATS_URL" "nats-url" }}
{{- if not (last .).isGateway }}{{ $_ := set $keys "DATABASE_URL" (printf "%s-database-url" (last .).name) }}{{ end }}
{{- if and (eq (last .).name "identity") (first .).Values.operator.enabled }}{{ $_ := set $keys "OPERATOR_TOKEN" "operator-token" }}{{ end }}
{{- if has "nodes" (last .).reaches }}{{ $_ := set $keys "ARI_PASSWORD" "ari-password" }}{{ end }}
{{- if and (has "s3" (last .).reaches) (not (last .).isGateway) }}
{{- $keys = merge $keys (dict "RECORDINGS_S3_ACCESS_KEY_ID" "s3-access-key-id" "RECORDINGS_S3_SECRET_ACCESS_KEY" "s3-secret-access-key") }}
{{- end }}
{{- toYaml (merge (deepCopy (last .).secrets) $keys) }}
{{- end }}

{{/* (list root key isHook): name and key of the Secret that holds it, or nothing. */}}
{{- define "sabia.secretSource" -}}
{{- $secrets := (index . 0).Values.secrets }}{{ $key := index . 1 }}
{{- if hasKey $secrets.values $key }}{{ dict "name" (include "sabia.valuesSecret" (list (index . 0) (index . 2))) "key" $key | toYaml }}
{{- else if hasKey $secrets.from $key }}{{ get $secrets.from $key | toYaml }}
{{- else if $secrets.existingSecret }}{{ dict "name" $secrets.existingSecret "key" $key | toYaml }}
{{- end }}
{{- end }}

{{/* (list root key isHook) */}}
{{- define "sabia.requiredSecretSource" -}}
{{- include "sabia.secretSource" . | required (printf "secrets: nothing is said of \"%s\". Put it into the Secret that secrets.existingSecret names, or list it in secrets.from or secrets.values; README.md has the list of all keys" (index . 1)) }}
{{- end }}

{{/* (list root keys optionalKeys isHook): environment from secrets; keys are variable → key. */}}
{{- define "sabia.secretEnv" -}}
{{- $root := index . 0 }}{{ $isHook := index . 3 }}
{{- range $variable, $key := index . 1 }}
- name: {{ $variable }}
  valueFrom:
    secretKeyRef: {{- include "sabia.requiredSecretSource" (list $root $key $isHook) | nindent 6 }}
{{- end }}
{{- range $variable, $key := index . 2 }}
{{- with include "sabia.secretSource" (list $root $key $isHook) }}
- name: {{ $variable }}
  valueFrom:
    secretKeyRef:
      {{- . | nindent 6 }}
      optional: true
{{- end }}
{{- end }}
{{- end }}

{{/* (list root isHook): a hook runs before the objects of the release are there, so it has a copy of its own. */}}
{{- define "sabia.valuesSecret" -}}
{{ include "sabia.fullname" (first .) }}-values{{ last . | ternary "-hook" "" }}
{{- end }}
