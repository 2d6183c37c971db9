{{/* What deploy/asterisk/etc asks for. */}}
{{- define "sabia.asteriskEnv" -}}
{{- $asterisk := .Values.asterisk }}
{{- $keys := dict "POSTGRES_PASSWORD" "asterisk-database-password" "ARI_PASSWORD" "ari-password" }}
{{- if $asterisk.testCarrier }}{{ $_ := set $keys "TEST_CARRIER_PASSWORD" "test-carrier-password" }}{{ end -}}
{{- include "sabia.placeEnv" (list "ASTERISK_NAME" $asterisk.publicAddresses) }}
{{- include "sabia.secretEnv" (list . $keys dict false) }}
{{- include "sabia.voiceDatabaseEnv" (list . "sabia_asterisk") }}
{{- range $name, $value := dict
  "ASTERISK_HOME" "/asterisk"
  "HTTP_HOST" "$(POD_IP)"
  "HTTP_PORT" 8088
  "SIP_HOST" "$(POD_IP)"
  "SIP_PORT" $asterisk.sipPort
  "SIP_CAPTURE" ($asterisk.capture.enabled | ternary (printf "%s-sip-capture:9060" (include "sabia.fullname" .)) "")
  "EDGE_NETWORKS" (.Values.kamailio.hostNetwork | ternary .Values.machineNetworks .Values.podNetworks | join ",")
  "RTP_START" $asterisk.rtp.start
  "RTP_END" $asterisk.rtp.end
}}
- { name: {{ $name }}, value: {{ $value | toString | quote }} }
{{- end }}
{{- with $asterisk.extraEnv }}
{{ toYaml . }}
{{- end }}
{{- end }}
