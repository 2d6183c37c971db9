{{/* (list root workload) */}}
{{- define "sabia.mountsRecordings" -}}
{{- if and (has "recordings" (last .).reaches) (eq (first .).Values.recordings.storage "volume") }}yes{{ end }}
{{- end }}
