# Kamailio with the configuration of deploy/kamailio: docker build -f deploy/docker/kamailio.Dockerfile .
# Debian testing is where the embedded stack takes it from, too.
ARG DEBIAN_IMAGE=docker.io/library/debian:testing-slim

FROM ${DEBIAN_IMAGE}
ARG VERSION=0.0.0
ARG REVISION=unknown
LABEL org.opencontainers.image.title="sabia kamailio" \
      org.opencontainers.image.description="The SIP edge of Sabiá" \
      org.opencontainers.image.licenses="GPL-2.0-or-later AND Apache-2.0" \
      org.opencontainers.image.version="${VERSION}" \
      org.opencontainers.image.revision="${REVISION}"
RUN apt-get update \
    && apt-get install --yes --no-install-recommends kamailio kamailio-postgres-modules kamailio-websocket-modules kamailio-tls-modules \
    && rm -rf /var/lib/apt/lists/* /var/cache/apt /var/log/apt /var/log/dpkg.log \
    && kamailio -v
COPY deploy/kamailio/etc /usr/share/sabia/kamailio
COPY deploy/asterisk/render.sh deploy/docker/start-kamailio.sh deploy/docker/drain-kamailio.sh /usr/local/bin/
# What may be left out is empty.
ENV EDGE_HOME=/kamailio CONTROL_SOCKET=/kamailio/run/control \
    SIP_HOST6= EDGES_ADDRESS= EDGES_LISTEN= TLS_CERTIFICATE= TLS_KEY= TLS_PORT=5061 WSS_PORT=7443 OPEN_FILES=65536 \
    SHARED_MEGABYTES=256 PROCESS_MEGABYTES=16
# The only folder that is written; a volume where the rest is read-only.
RUN mkdir -m 0770 /kamailio && chown 10001:10001 /kamailio
WORKDIR /kamailio
USER 10001:10001
ENTRYPOINT ["start-kamailio.sh"]
