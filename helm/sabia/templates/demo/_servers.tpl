{{/* All that they hold is gone with their pods. */}}
{{- define "sabia.demoServers" -}}
postgres:
  ports: [5432]
  folders: [/var/lib/postgresql, /var/run/postgresql]
  env:
    - { name: POSTGRES_PASSWORD, value: demo }
    - { name: PGDATA, value: /var/lib/postgresql/data }
nats:
  ports: [4222]
  args: [-js, -sd, /data]
  folders: [/data]
redis:
  ports: [6379]
  args: [--save, '', --appendonly, 'no']
  folders: [/data]
# Mailpit: every mail that the platform sends, on a page at port 8025.
smtp:
  ports: [1025, 8025]
{{- end }}
