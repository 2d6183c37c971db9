{{/*
A Job with a service account of its own that does one thing and ends.
  root, name, containers   the last of the containers is the Job's own, those before it run first
  component                by which the policies know its pod
  phase, weight            of the hook: "pre" or "post"
  volumes                  items of a list, or nothing
*/}}
{{- define "sabia.job" -}}
{{- $root := .root }}{{ $migrations := $root.Values.migrations }}
---
apiVersion: v1
kind: ServiceAccount
metadata:
  {{- include "sabia.meta" (list $root .name) | nindent 2 }}
  {{- with include "sabia.hook" (list $root .phase -10) }}
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
  {{- with include "sabia.hook" (list $root .phase .weight) }}
  annotations: {{- . | nindent 4 }}
  {{- end }}
spec:
  backoffLimit: {{ $migrations.backoffLimit }}
  activeDeadlineSeconds: {{ $migrations.deadlineSeconds }}
  # One that failed, or is no hook, can be looked at for a day.
  ttlSecondsAfterFinished: 86400
  template:
    metadata:
      labels: {{- include "sabia.selector" (list $root .component) | nindent 8 }}
    spec:
      serviceAccountName: {{ include "sabia.fullname" $root }}-{{ .name }}
      restartPolicy: Never
      {{- include "sabia.podSecurity" $root | nindent 6 }}
      {{- with $migrations.priorityClassName }}
      priorityClassName: {{ . }}
      {{- end }}
      {{- with initial .containers }}
      initContainers: {{- range . }}{{ include "sabia.jobContainer" (list $root .) | nindent 8 }}{{ end }}
      {{- end }}
      containers: {{- include "sabia.jobContainer" (list $root (last .containers)) | nindent 8 }}
      volumes:
        - name: tmp
          emptyDir: {}
        {{- include "sabia.trustVolume" $root | nindent 8 }}
        {{- with .volumes }}
        {{- . | nindent 8 }}
        {{- end }}
{{- end }}

{{/* (list root (dict name image command env mounts)): one item of a list of containers. */}}
{{- define "sabia.jobContainer" -}}
{{- $root := first . }}
{{- with last . -}}
- name: {{ .name }}
  {{- .image | nindent 2 }}
  {{- .command | nindent 2 }}
  {{- include "sabia.containerSecurity" $root | nindent 2 }}
  resources:
    requests: { cpu: 50m, memory: 128Mi }
    limits: { memory: 512Mi }
  env: {{- .env | nindent 4 }}
  volumeMounts:
    - { name: tmp, mountPath: /tmp }
    {{- include "sabia.trustMount" $root | nindent 4 }}
    {{- with .mounts }}
    {{- . | nindent 4 }}
    {{- end }}
{{- end }}
{{- end }}

{{/* (list root workload isHook): the container that migrates the schema of a service, with the environment that it serves with. */}}
{{- define "sabia.migration" -}}
{{- $root := index . 0 }}{{ $workload := index . 1 }}{{ $isHook := index . 2 }}
{{- $keys := include "sabia.secretKeys" (list $root $workload) | fromYaml }}
{{- $env := include "sabia.secretEnv" (list $root $keys $workload.optionalSecrets $isHook) }}
{{- /* No ConfigMap is there yet when a hook runs. */}}
{{- range $variable, $value := include "sabia.config" (list $root $workload) | fromYaml }}
{{- $env = printf "%s\n- { name: %s, value: %s }" $env $variable (toJson $value) }}
{{- end }}
{{- with $workload.extraEnv }}{{ $env = print $env "\n" (toYaml .) }}{{ end }}
{{- dict
  "name" (printf "migrate-%s" $workload.name)
  "image" (include "sabia.image" (list $root $workload.image $workload.name))
  "command" (printf "args: [migrate, --wait, %q]" (toString $root.Values.migrations.waitSeconds))
  "env" $env
  "mounts" (empty $workload.extraVolumeMounts | ternary "" (toYaml $workload.extraVolumeMounts))
  | toYaml }}
{{- end }}
