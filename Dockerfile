# The service and the example worker. Build it at the root of the checkout:
#   docker build -t procession .
FROM golang:1.26.8-bookworm AS build
WORKDIR /src
ENV CGO_ENABLED=0 GOFLAGS=-trimpath
# npm fetches the assets of the console.
RUN apt-get update && apt-get install --yes --no-install-recommends npm
COPY go.mod go.sum ./
COPY sdk/go.mod sdk/go.sum sdk/
RUN --mount=type=cache,target=/go/pkg/mod go mod download
COPY . .
RUN --mount=type=cache,target=/go/pkg/mod --mount=type=cache,target=/root/.cache/go-build \
    go run ./console/assets/pack && \
    go build -ldflags='-s -w' -o /out/ ./cmd/procession && \
    go build -ldflags='-s -w' -o /out/loan-worker ./examples/loan && \
    go run ./tools/sbom -dir /out/sbom /out/procession /out/loan-worker
# A volume that is first mounted here takes the owner and the mode over.
RUN install -d -m 0700 /out/tls /out/documents

# Debian and not distroless, for pdftotext, which reads PDFs for AI assistance, and
# for Python with Typst, which typesets forms.
FROM debian:12.12-slim
RUN apt-get update && \
    apt-get install --yes --no-install-recommends ca-certificates fonts-noto-core poppler-utils python3-venv tzdata && \
    rm -rf /var/lib/apt/lists/* && \
    groupadd --gid 65532 nonroot && useradd --uid 65532 --gid 65532 --create-home --shell /usr/sbin/nologin nonroot
COPY tools/typst/requirements.txt /opt/typst/
RUN python3 -m venv /opt/typst && \
    /opt/typst/bin/pip install --no-cache-dir --require-hashes --no-deps --only-binary :all: --requirement /opt/typst/requirements.txt
COPY --from=build /out/procession /out/loan-worker /usr/local/bin/
COPY --from=build /out/sbom /usr/share/sbom
COPY LICENSE NOTICE /usr/share/doc/procession/
COPY --from=build --chown=65532:65532 /out/tls /tls
COPY --from=build --chown=65532:65532 /out/documents /documents
# By number, so that Kubernetes can check that it is not root.
USER 65532:65532
# Mount a volume there, or set a bucket: other files are lost with the container.
# Health and metrics are on 127.0.0.1:9090, within the container, unless
# PROCESSION_LISTEN_HEALTH says otherwise: they ask for no credentials.
ENV PROCESSION_LISTEN=0.0.0.0:8080 PROCESSION_DOCUMENTS_URL=file:///documents \
    PROCESSION_TYPST=/opt/typst/bin/python3
EXPOSE 8080
ENTRYPOINT ["/usr/local/bin/procession"]
CMD ["serve"]
