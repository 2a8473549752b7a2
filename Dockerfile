# syntax=docker/dockerfile:1

# Builds `plimsoll` and nothing else. docs/scale.md says how it is run.

FROM rust:1.95.0-bookworm AS build
# The same version as in rust-toolchain.toml, without fetching its formatter and lints.
ENV RUSTUP_TOOLCHAIN=1.95.0
WORKDIR /source
COPY . .
RUN --mount=type=cache,target=/usr/local/cargo/registry \
    --mount=type=cache,target=/source/target \
    cargo build --release --locked --package plimsoll-cli --bin plimsoll \
    && cp target/release/plimsoll /plimsoll

FROM debian:bookworm-slim
# Certificates for providers and databases, and curl for health checks.
RUN apt-get update \
    && apt-get install --yes --no-install-recommends ca-certificates curl \
    && rm -rf /var/lib/apt/lists/*
COPY --from=build /plimsoll /usr/local/bin/plimsoll
# A new volume takes its owner from here.
RUN install -d -o 65534 -g 65534 -m 0700 /data /data/config
ENV PLIMSOLL_DATA_DIR=/data \
    PLIMSOLL_CONFIG_DIR=/data/config \
    HOME=/data
USER 65534:65534
WORKDIR /data
VOLUME ["/data"]
EXPOSE 7411
STOPSIGNAL SIGTERM
ENTRYPOINT ["plimsoll"]
CMD ["serve", "--addr", "0.0.0.0:7411"]
