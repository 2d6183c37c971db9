{{/* (list root image component) */}}
{{- define "sabia.image" -}}
{{- $image := (index . 0).Values.image -}}
image: {{ default (printf "%s/%s:%s" $image.repository (index . 2) (default (index . 0).Chart.AppVersion $image.tag)) (index . 1) | quote }}
imagePullPolicy: {{ $image.pullPolicy }}
{{- end }}

{{/* Pod Security "restricted", for every pod. */}}
{{- define "sabia.podSecurity" -}}
automountServiceAccountToken: false
enableServiceLinks: false
securityContext:
  runAsNonRoot: true
  runAsUser: 10001
  runAsGroup: 10001
  fsGroup: 10001
  fsGroupChangePolicy: OnRootMismatch
  seccompProfile: { type: RuntimeDefault }
{{- with .Values.image.pullSecrets }}
imagePullSecrets:
  {{- range . }}
  - name: {{ . }}
  {{- end }}
{{- end }}
{{- end }}

{{- define "sabia.containerSecurity" -}}
securityContext:
  allowPrivilegeEscalation: false
  readOnlyRootFilesystem: true
  capabilities: { drop: [ALL] }
{{- end }}

{{- define "sabia.scheduling" -}}
{{- with .nodeSelector }}
nodeSelector: {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .tolerations }}
tolerations: {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .priorityClassName }}
priorityClassName: {{ . }}
{{- end }}
{{- end }}
