# The service in a container:
#
#   docker build -t symbolist .
#   docker run -p 4318:4318 -p 4317:4317 -v symbolist:/var/lib/symbolist \
#       -v ./symbolist.yaml:/etc/symbolist.yaml:ro symbolist serve --config /etc/symbolist.yaml
#
# It listens to the network, so it starts only with tokens, or with SYMBOLIST_AUTH_ANONYMOUS=true. Then
# SYMBOLIST_HTTP_HOSTS names the hosts by which other machines address it, such as `symbolist`.

FROM swift:6.3-bookworm AS build
WORKDIR /build

COPY Scripts/install Scripts/
RUN Scripts/install && rm -rf /var/lib/apt/lists/*

# Dependencies change less often than sources.
COPY Package.swift ./
RUN swift package resolve

COPY Scripts/upload-symbols Scripts/
COPY Sources Sources
COPY Tests Tests
RUN swift build --configuration release --static-swift-stdlib --product symbolist \
    && install -D -s "$(swift build --configuration release --static-swift-stdlib \
        --show-bin-path)/symbolist" /out/symbolist

FROM debian:bookworm-slim
RUN apt-get update -qq \
    && DEBIAN_FRONTEND=noninteractive apt-get install -qq -y --no-install-recommends \
        ca-certificates libarchive13 libdeflate0 libdwarf1 libelf1 liblzma5 libpq5 librdkafka1 libsqlite3-0 \
        libstdc++6 libzstd1 zlib1g \
    && rm -rf /var/lib/apt/lists/* \
    && install -d -o 10001 -g 10001 -m 0700 /var/lib/symbolist
COPY --from=build /out/symbolist /usr/local/bin/symbolist

# A number, so that orchestrators see that it is not root.
USER 10001:10001
ENV SYMBOLIST_DATA=/var/lib/symbolist \
    SYMBOLIST_HTTP_HOST=0.0.0.0 \
    SYMBOLIST_GRPC_HOST=0.0.0.0
VOLUME /var/lib/symbolist
EXPOSE 4317 4318
STOPSIGNAL SIGTERM
# With TLS or another port, give --health-cmd 'symbolist health --server URL'.
HEALTHCHECK --interval=10s --timeout=3s --start-period=30s --retries=3 \
    CMD ["symbolist", "health"]
ENTRYPOINT ["symbolist"]
CMD ["serve"]
