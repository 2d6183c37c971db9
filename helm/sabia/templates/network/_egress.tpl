{{/* (list root names): a rule of egress for each name that `reaches` may have. */}}
{{- define "sabia.egress" -}}
{{- $root := first . }}{{ $policy := $root.Values.networkPolicy }}
{{- range $name := last . }}
{{- if has $name (list "nodes" "edges") }}
- to: {{- include "sabia.voicePeers" (list $root (eq $name "nodes" | ternary "asterisk" "kamailio")) | nindent 4 }}
  ports:
    - { protocol: TCP, port: {{ eq $name "nodes" | ternary 8088 8060 }} }
{{- else if ne $name "recordings" }}
{{- $destination := get $policy.destinations $name | default dict }}
{{- $isOwn := and $root.Values.demo.enabled (hasKey $root.Values.demo.images $name) }}
- to:
    {{- if $isOwn }}
    - podSelector:
        matchLabels: {{- include "sabia.selector" (list $root $name) | nindent 10 }}
    {{- else if $destination.internet }}
    {{- include "sabia.internet" $policy | nindent 4 }}
    {{- else }}
    {{- toYaml ($destination.to | default list) | nindent 4 }}
    {{- end }}
  ports:
    {{- range $protocol := $destination.protocols | default (list "TCP") }}
    {{- range $destination.ports }}
    - { protocol: {{ $protocol }}, port: {{ . }} }
    {{- else }}
    - { protocol: {{ $protocol }} }
    {{- end }}
    {{- end }}
{{- end }}
{{- end }}
{{- end }}

{{/* (list root component): the pods of nodes or edges as peers; those on the network of their machine are known by its address alone. */}}
{{- define "sabia.voicePeers" -}}
{{- $values := (first .).Values }}
{{- if (get $values (last .)).hostNetwork }}
{{- range $values.machineNetworks }}
- ipBlock: { cidr: {{ . | quote }} }
{{- end }}
{{- else }}
- podSelector:
    matchLabels: {{- include "sabia.selector" . | nindent 6 }}
{{- end }}
{{- end }}

{{/* Addresses of IPv6 outside 2000::/3 are not in use on the Internet. */}}
{{- define "sabia.internet" -}}
{{- range $cidr, $isSix := dict "0.0.0.0/0" false "2000::/3" true }}
- ipBlock:
    cidr: {{ $cidr }}
    except:
      {{- range $.privateRanges }}
      {{- if eq $isSix (contains ":" .) }}
      - {{ . }}
      {{- end }}
      {{- end }}
{{- end }}
{{- end }}
