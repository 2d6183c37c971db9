{{/* (dict root name env container weight files): a Job with a service account of its own that works on the database and ends. */}}
{{- define "sabia.databaseJob" -}}
{{- $root := .root }}{{ $migrations := $root.Values.migrations }}
---
apiVersion: v1
kind: ServiceAccount
metadata:
  {{- include "sabia.meta" (list $root .name) | nindent 2 }}
  {{- with include "sabia.hook" (list $root -10) }}
  annotations: {{- . | nindent 4 }}
  {{- end }}
automountServiceAccountToken: false
---
apiVersion: batch/v1
kind: Job
metadata:
  {{- $meta := include "sabia.meta" (list $root .name) | fromYaml }}
  {{- /* A Job cannot be changed: beside the rest, every revision has its own. A hook is replaced by Helm. */}}
  {{- if not $migrations.asHook }}{{ $_ := set $meta "name" (printf "%s-%d" $meta.name $root.Release.Revision) }}{{ end }}
  {{- toYaml $meta | nindent 2 }}
  {{- with include "sabia.hook" (list $root .weight) }}
  annotations: {{- . | replace ",hook-succeeded" "" | nindent 4 }}
  {{- end }}
spec:
  backoffLimit: {{ $migrations.backoffLimit }}
  activeDeadlineSeconds: {{ $migrations.deadlineSeconds }}
  # Its log can be read for a day.
  ttlSecondsAfterFinished: 86400
  template:
    metadata:
      labels: {{- include "sabia.selector" (list $root "migrate") | nindent 8 }}
    spec:
      serviceAccountName: {{ include "sabia.fullname" $root }}-{{ .name }}
      restartPolicy: Never
      {{- include "sabia.podSecurity" $root | nindent 6 }}
      containers:
        - name: {{ .name }}
          {{- include "sabia.containerSecurity" $root | nindent 10 }}
          {{- .container | nindent 10 }}
          resources:
            requests: { cpu: 50m, memory: 128Mi }
            limits: { memory: 512Mi }
          env: {{- .env | nindent 12 }}
      {{- if .files }}
      volumes:
        - name: {{ .name }}
          configMap: { name: {{ include "sabia.fullname" $root }}-{{ .name }} }
      {{- end }}
{{- end }}
