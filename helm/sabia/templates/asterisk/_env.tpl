{{/* What deploy/asterisk/etc asks for. */}}
{{- define "sabia.asteriskEnv" -}}
{{- $asterisk := .Values.asterisk }}
{{- $keys := dict "POSTGRES_PASSWORD" "asterisk-database-password" "ARI_PASSWORD" "ari-password" "AMI_PASSWORD" "ami-password" }}
{{- if $asterisk.testCarrier }}{{ $_ := set $keys "TEST_CARRIER_PASSWORD" "test-carrier-password" }}{{ end -}}
- name: POD_IP
  valueFrom: { fieldRef: { fieldPath: status.podIP } }
- name: ASTERISK_NAME
  valueFrom: { fieldRef: { fieldPath: metadata.name } }
{{- include "sabia.secretEnv" (list . $keys dict false) }}
{{- $public := $asterisk.publicAddress | default ($asterisk.hostNetwork | ternary "$(POD_IP)" "") }}
{{- with include "sabia.trustFile" . }}
# Read by libpq.
- { name: PGSSLROOTCERT, value: {{ . }} }
{{- end }}
{{- range $name, $value := dict
  "ASTERISK_HOME" "/asterisk"
  "POSTGRES_HOST" ($asterisk.database.host | default (printf "%s-postgres" (include "sabia.fullname" .)))
  "POSTGRES_PORT" $asterisk.database.port
  "POSTGRES_DATABASE" $asterisk.database.name
  "POSTGRES_USER" "sabia_asterisk"
  "PGSSLMODE" $asterisk.database.sslMode
  "HTTP_HOST" "$(POD_IP)"
  "HTTP_PORT" 8088
  "AMI_HOST" "$(POD_IP)"
  "AMI_PORT" 5038
  "SIP_HOST" "$(POD_IP)"
  "SIP_PORT" $asterisk.sipPort
  "SIP_PUBLIC_ADDRESS" $public
  "SIP_CAPTURE" ($asterisk.capture.enabled | ternary (printf "%s-sip-capture:9060" (include "sabia.fullname" .)) "")
  "SIP_LOCAL_NET" $asterisk.localNetwork
  "RTP_START" $asterisk.rtp.start
  "RTP_END" $asterisk.rtp.end
  "RTP_LOCAL_ADDRESS" (empty $asterisk.publicAddress | ternary "" "$(POD_IP)")
  "RTP_PUBLIC_ADDRESS" $asterisk.publicAddress
}}
- { name: {{ $name }}, value: {{ $value | toString | quote }} }
{{- end }}
{{- with $asterisk.extraEnv }}
{{ toYaml . }}
{{- end }}
{{- end }}
