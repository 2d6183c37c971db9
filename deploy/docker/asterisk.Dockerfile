# Asterisk with the configuration of deploy/asterisk: docker build -f deploy/docker/asterisk.Dockerfile .
# Debian testing is the first one with Asterisk 22; it is where the embedded stack takes it from, too.
ARG DEBIAN_IMAGE=docker.io/library/debian:testing-slim

FROM ${DEBIAN_IMAGE}
ARG VERSION=0.0.0
ARG REVISION=unknown
LABEL org.opencontainers.image.title="sabia asterisk" \
      org.opencontainers.image.description="The SIP edge and the media of Sabiá" \
      org.opencontainers.image.licenses="GPL-2.0-only AND Apache-2.0" \
      org.opencontainers.image.version="${VERSION}" \
      org.opencontainers.image.revision="${REVISION}"
RUN apt-get update \
    && apt-get install --yes --no-install-recommends asterisk asterisk-core-sounds-en-gsm \
    && rm -rf /var/lib/apt/lists/* /var/cache/apt /var/log/apt /var/log/dpkg.log \
    && asterisk -V
COPY deploy/asterisk/etc /usr/share/sabia/asterisk
COPY deploy/asterisk/render.sh deploy/docker/start-asterisk.sh deploy/docker/drain-asterisk.sh /usr/local/bin/
# An installed Asterisk knows its folders; what else may be left out is empty.
ENV ASTERISK_HOME=/asterisk \
    ASTERISK_MODULES= ASTERISK_DATA= SOUND_LANGUAGE= \
    SIP_PUBLIC_ADDRESS= SIP_LOCAL_NET= RTP_LOCAL_ADDRESS= RTP_PUBLIC_ADDRESS= RTP_HIDDEN_NET= SECURITY_LOG= SIP_CAPTURE=
# The only folder that is written; a volume where the rest is read-only.
RUN mkdir -m 0770 /asterisk && chown 10001:10001 /asterisk
WORKDIR /asterisk
USER 10001:10001
ENTRYPOINT ["start-asterisk.sh"]
