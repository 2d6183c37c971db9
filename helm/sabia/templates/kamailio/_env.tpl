{{/* What deploy/kamailio/etc asks for. */}}
{{- define "sabia.kamailioEnv" -}}
{{- $edge := .Values.kamailio }}{{ $hasTls := not (empty $edge.tls.secret) }}
{{- include "sabia.placeEnv" (list "EDGE_NAME" $edge.publicAddresses) }}
{{- include "sabia.secretEnv" (list . (dict "PGPASSWORD" "edge-database-password" "EDGE_SECRET" "edge-secret") dict false) }}
{{- include "sabia.voiceDatabaseEnv" (list . "sabia_edge") }}
{{- range $name, $value := dict
  "EDGE_HOME" "/kamailio"
  "SIP_HOST" "$(POD_IP)"
  "SIP_PORT" $edge.sipPort
  "SIP_PUBLIC_ADDRESS" ($edge.publicAddress | default "$(POD_IP)")
  "TLS_PORT" $edge.tls.port
  "TLS_CERTIFICATE" ($hasTls | ternary "/tls/tls.crt" "")
  "TLS_KEY" ($hasTls | ternary "/tls/tls.key" "")
  "WS_HOST" "$(POD_IP)"
  "WS_PORT" 8060
  "NODES_HOST" "$(POD_IP)"
  "NODES_PORT" 5070
  "EDGES_ADDRESS" (printf "%s-edges.%s.svc:5070" (include "sabia.fullname" .) .Release.Namespace)
  "GATEWAY_NETWORKS" ($edge.hostNetwork | ternary (concat .Values.podNetworks .Values.machineNetworks) .Values.podNetworks | join ",")
  "SPARED_NETWORKS" ($edge.spared | join "," | default "none")
}}
- { name: {{ $name }}, value: {{ $value | toString | quote }} }
{{- end }}
{{- with $edge.extraEnv }}
{{ toYaml . }}
{{- end }}
{{- end }}
