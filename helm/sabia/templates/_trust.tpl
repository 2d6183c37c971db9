{{/* Where the operator's certificate authorities are mounted; nothing where there are none. */}}
{{- define "sabia.trustFile" -}}
{{- if or .Values.certificateAuthorities.configMap .Values.certificateAuthorities.secret }}/certificates/ca.crt{{ end }}
{{- end }}

{{/* As items of a list, like the one below. */}}
{{- define "sabia.trustMount" -}}
{{- if include "sabia.trustFile" . }}
- { name: certificates, mountPath: /certificates, readOnly: true }
{{- end }}
{{- end }}

{{- define "sabia.trustVolume" -}}
{{- $authorities := .Values.certificateAuthorities }}
{{- if include "sabia.trustFile" . }}
- name: certificates
  {{- if $authorities.configMap }}
  configMap:
    name: {{ $authorities.configMap }}
  {{- else }}
  secret:
    secretName: {{ $authorities.secret }}
  {{- end }}
    items: [{ key: {{ $authorities.key }}, path: ca.crt }]
{{- end }}
{{- end }}
