# Commands for developers; "make help" lists them.

SHELL := bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help
.NOTPARALLEL:
MAKEFLAGS += --no-print-directory

# Variables of the command line, as in: make run DEV_FLAGS=--ephemeral
WORKER       ?= bin/loan-worker,bin/inspection-worker
DEV_FLAGS    ?=
ENGINE       ?= auto
DEMO_FLAGS   ?=
BENCH_FLAGS  ?=
SOAK_FLAGS   ?=
TEST_FLAGS   ?=
PREFIX       ?= /usr/local
TEST_TIMEOUT ?= 20m
FUZZ_TIME    ?= 30s
CLUSTER_TIME ?= 10m

TOOLS := $(CURDIR)/bin/tools

# The packages that take longest start first, three at once, so that no processor is idle.
PACKAGES := -p 3 ./cmd/procession ./console ./api ./persistence ./workflows ./engine/completions ./console/forms ./api/shapeb ./...

# Modules below the root; modules of tools contain versions only.
NESTED := $(patsubst %/go.mod,%,$(filter-out tools/%,$(wildcard */go.mod test/*/go.mod)))
ALL_MODULES := . $(NESTED) $(patsubst %/go.mod,%,$(wildcard tools/*/go.mod))

# Temporal takes minutes to compile. Tests and lint of temporal-server use the
# settings of its build (devstack/temporalserver) to share its build cache; the other
# modules share the root's.
TEMPORAL_ENV = if [ "$$module" = temporal-server ]; then export CGO_ENABLED=0 GOFLAGS="$$(go env GOFLAGS) -trimpath"; fi

##@ Use

.PHONY: help
help: ## Show this list
	@awk 'BEGIN { FS = ":.*## " } \
	  /^##@/ { printf "\n%s\n", substr($$0, 5) } \
	  /^[a-z-]+:.*## / { printf "  make %-12s %s\n", $$1, $$2 }' Makefile

.PHONY: run
run: bootstrap build ## Run the whole stack here until Ctrl-C; DEV_FLAGS=--ephemeral forgets its data, ENGINE=guarded compiles our Temporal
	@exec bin/procession dev --engine "$(ENGINE)" --worker "$(WORKER)" $(DEV_FLAGS)

.PHONY: demo
demo: ## Drive the loan example against the running stack
	@go run ./examples/loan/drive $(DEMO_FLAGS)

##@ Develop

.PHONY: test
test: bootstrap-tests assets temporal ## Run all tests; needs no running service
	@go test -ldflags=-w -timeout $(TEST_TIMEOUT) $(TEST_FLAGS) $(PACKAGES)
	@$(MAKE) test-nested

.PHONY: check
check: bootstrap-tests assets lint drift temporal ## Run all checks before a merge: lint, drift, tests with the race detector, fuzzing
	@go test -race -shuffle=on -count=1 -timeout $(TEST_TIMEOUT) $(TEST_FLAGS) $(PACKAGES)
	@$(MAKE) test-nested TEST_FLAGS="-shuffle=on -count=1 $(TEST_FLAGS)"
	@$(MAKE) fuzz

.PHONY: fuzz
fuzz: ## Run every fuzz target for FUZZ_TIME, and give every parameter every hostile value
	@tools/scripts/fuzz "$(FUZZ_TIME)"
	@go test ./api -count=1 -run TestNoParameterMakesTheServiceFail -args -hostile-rounds=1

.PHONY: test-cluster
test-cluster: bootstrap-tests temporal ## Restart, kill and pause every process of a Temporal on three hosts under load, for CLUSTER_TIME (10m), on PostgreSQL, and on Cassandra and OpenSearch; kill replicas of the service
	@cd temporal-server && CGO_ENABLED=0 GOFLAGS="$$(go env GOFLAGS) -trimpath" TEST_CLUSTER="$(CLUSTER_TIME)" \
	  go test ./internal/server -run 'TestThreeHosts$$' -count=1 -v -timeout 2h
	@go test ./cmd/procession -run TestHostsAndReplicasAreKilled -count=1 -v -timeout 2h -args -hosts-duration=$(CLUSTER_TIME) -hosts-slowest=15s
	@go run ./test/stores $(MAKE) test-stores

# make test-cluster runs it, with Cassandra and OpenSearch.
.PHONY: test-stores
test-stores:
	@cd temporal-server && CGO_ENABLED=0 GOFLAGS="$$(go env GOFLAGS) -trimpath" TEST_CLUSTER="$(CLUSTER_TIME)" \
	  go test ./internal/store ./internal/server -run 'Cassandra|Keyspace|StoresThatRefuse|ListsInOpenSearch|CostOnPostgres' -parallel 2 -p 1 -count=1 -v -timeout 2h
	@go test ./engine ./workflows -skip TestListsOfEndsReadLittle -count=1 -timeout 30m
	@go test ./cmd/procession -run 'TestHostsAndReplicasAreKilled' -count=1 -v -timeout 2h -args -hosts-duration=$(CLUSTER_TIME) -hosts-slowest=15s
	@go test ./cmd/procession -run 'TestProblemsOfRunningWorkflows|TestFailedWorkflowBecomesAnIncidentThatCanBeRetried' -count=1 -v -timeout 30m
	@go test ./cmd/procession -run TestModesOfClusters -count=1 -v -timeout 30m -args -all-modes

# Without the race detector, which would compile a second Temporal.
.PHONY: test-nested
test-nested:
	@for module in $(NESTED); do \
	  (cd "$$module" && $(TEMPORAL_ENV) && go test -timeout $(TEST_TIMEOUT) $(TEST_FLAGS) ./...); \
	done

.PHONY: fmt
fmt: $(TOOLS)/golangci-lint ## Format all Go files
	@$(TOOLS)/golangci-lint fmt

.PHONY: lint
lint: $(TOOLS)/golangci-lint $(TOOLS)/workflowcheck ## Check format, words, links and commands of documents, lint rules, package boundaries and workflow determinism
	@go run ./tools/imports
	@$(TOOLS)/golangci-lint config verify --config .golangci.yml
	@$(TOOLS)/golangci-lint fmt --diff
	@go test ./tools/scripts ./cmd/procession -run 'TestLinksOfDocuments|TestCommandsOfDocuments'
	@tools/scripts/pin-images --check
	@go run ./tools/language
	@$(TOOLS)/golangci-lint run ./...
	@for module in $(NESTED); do \
	  (cd "$$module" && $(TEMPORAL_ENV) && $(TOOLS)/golangci-lint run --config "$(CURDIR)/.golangci.yml" ./...); \
	done
	@for dir in workflows examples; do \
	  if [ -d "$$dir" ]; then $(TOOLS)/workflowcheck -config tools/workflowcheck/config.yaml "./$$dir/..."; fi; \
	done
	@cd sdk && $(TOOLS)/workflowcheck -config ../tools/workflowcheck/config.yaml ./...

.PHONY: generate
generate: $(TOOLS)/oapi-codegen $(TOOLS)/templ ## Generate code from the contracts and the templates of the console, and NOTICE
	@go generate ./...
	@go -C sdk generate ./...
	@go run ./tools/sbom -notice NOTICE

.PHONY: drift
drift: $(TOOLS)/oapi-codegen $(TOOLS)/templ ## Check that generated code, NOTICE and module files are current
	@tools/scripts/generated-current
	@go run ./tools/sbom -notice NOTICE -check
	@for module in $(ALL_MODULES); do \
	  (cd "$$module" && go mod tidy -diff) || { echo "go.mod or go.sum of $$module is not tidy: run go mod tidy there" >&2; exit 1; }; \
	done

.PHONY: vuln
vuln: ## Check for known vulnerabilities; VULNDB is the URL of the database, VULN_REQUIRED=1 fails without it
	@tools/scripts/vulnerabilities

.PHONY: images
images: ## Pin the images we build on by the digests that their registries answer with
	@tools/scripts/pin-images

.PHONY: compat
compat: bootstrap build temporal ## Call every operation of the public SDK, and run workers written with it, by `init worker`, with a generated client, and with SDKs of 2023 (COMPAT_MINUTES each), on each kind of Temporal cluster, and workers with faults; lint the contracts and call clients generated from them; validate PDFs of forms with veraPDF; extract text from documents of Python's office libraries and LibreOffice; send mails to aiosmtpd; provision users with scim2-tester; sign people in through oidc-provider; open namespaces in Temporal's UI; a short bench with Camunda
	@test/compat/run
	@test/compat/new-workers
	@test/compat/loans
	@test/compat/modes
	@test/compat/generated
	@test/compat/legacy
	@test/compat/faults
	@test/compat/pdfua
	@test/compat/office
	@test/compat/mail
	@test/compat/directory
	@test/compat/oidc
	@test/compat/ui
	@go -C test/bench run . --only camunda --seconds 1 --rounds 1 --items 1000

.PHONY: corpus
corpus: ## Fetch published schemas and the JSON-Schema-Test-Suite, and test with them
	@test/corpus/fetch
	@go test ./test/corpus -count=1 -v -args -corpus

.PHONY: bench
bench: bootstrap temporal ## Measure the service, pgbench and raw Temporal
	@go -C test/bench run . $(BENCH_FLAGS)

.PHONY: soak
soak: bootstrap temporal ## Run under load for long and watch memory and backlog; move 1 GiB, list 1 GiB, kill amid uploads, webhooks and repairs
	@go test ./cmd/procession -count=1 -v -run 'TestMemoryDoesNotGrowWithADocument|TestKilledAmidAnUpload' \
	  -args -document-size=1073741824 -document-kills=50
	@go test ./cmd/procession -count=1 -v -run 'TestWebhooksAreDeliveredOnce|TestKilledAmidWebhooks' \
	  -args -webhook-processes=1430 -webhook-kills=20
	@go test ./cmd/procession -count=1 -v -run TestKilledAmidRepairs -args -repair-kills=40
	@go test ./form -count=1 -v -run TestReach -args -reach-cases=20000
	@go test ./engine -count=1 -v -timeout 60m -run TestListsOfEndsReadLittle -args -visibility-rows=2500000
	@go test ./api -count=1 -v -run TestAPageOfLargeTasksTakesLittleMemory -args -page-tasks=1000
	@go test ./app -count=1 -v -timeout 60m -run TestDueQueueReadsWhatIsDue -args -open-tasks=1000000
	@go -C test/bench run . soak $(SOAK_FLAGS)

.PHONY: screenshots
screenshots: bootstrap-tests assets temporal ## Take the screenshots of the documentation, with the whole stack and a browser
	@go test ./cmd/procession -count=1 -run TestDevRunsTheWholeStackAndKeepsItsData -args -screenshots="$(CURDIR)/docs/screenshots"

.PHONY: screens
screens: bootstrap-tests assets ## Take pictures of forms in 12 languages, light, dark and on a phone, into dist/screens
	@go test ./console/forms -count=1 -timeout 60m -run TestFormsInManyLanguages -args -screenshots="$(CURDIR)/dist/screens"

##@ Build

.PHONY: build
build: say-build assets ## Build the service and the example workers into bin/
	@go build -o bin/procession ./cmd/procession
	@go build -o bin/loan-worker ./examples/loan
	@go build -o bin/inspection-worker ./examples/inspection

# It comes before the first compilation, of the program that packs the assets.
.PHONY: say-build
say-build:
	@[ -x bin/procession ] || echo "building the service: about three minutes the first time"

.PHONY: install
install: build ## Copy the program to $PREFIX/bin, /usr/local/bin unless given
	@install -D -m 755 bin/procession "$(DESTDIR)$(PREFIX)/bin/procession"

.PHONY: assets
assets: ## Fetch and pack the assets of the console, if they changed; seconds
	@go run ./console/assets/pack

.PHONY: temporal
temporal: ## Build the Temporal server into the user's cache; minutes the first time
	@go run ./devstack/temporalserver/prebuild > /dev/null

.PHONY: sbom
sbom: build temporal ## Write a bill of materials of each binary into dist/, as CycloneDX
	@go run ./tools/sbom -dir dist bin/procession bin/loan-worker "$$(go run ./devstack/temporalserver/prebuild)"

.PHONY: release
release: ## Check a release: pinned images, no known vulnerabilities (the database must answer), bills of materials
	@IMAGES_REQUIRED=1 tools/scripts/pin-images --check
	@VULN_REQUIRED=1 tools/scripts/vulnerabilities
	@$(MAKE) sbom

.PHONY: bootstrap
bootstrap: ## Check for Go, PostgreSQL and Node; install missing ones except Go with apt
	@tools/scripts/bootstrap

# The tests of the console need a browser.
.PHONY: bootstrap-tests
bootstrap-tests:
	@tools/scripts/bootstrap --tests

.PHONY: clean
clean: ## Remove built files; data in .procession/ and caches stay
	@rm -rf bin dist

# Tools are built from their pinned modules once, and again when a pin moves.
$(TOOLS)/golangci-lint: tools/lint/go.mod tools/lint/go.sum
	@tools/scripts/install-tool lint github.com/golangci/golangci-lint/v2/cmd/golangci-lint

$(TOOLS)/oapi-codegen: tools/codegen/go.mod tools/codegen/go.sum
	@tools/scripts/install-tool codegen github.com/oapi-codegen/oapi-codegen/v2/cmd/oapi-codegen

$(TOOLS)/templ: tools/templ/go.mod tools/templ/go.sum
	@tools/scripts/install-tool templ github.com/a-h/templ/cmd/templ

$(TOOLS)/workflowcheck: tools/workflowcheck/go.mod tools/workflowcheck/go.sum
	@tools/scripts/install-tool workflowcheck go.temporal.io/sdk/contrib/tools/workflowcheck

$(TOOLS)/govulncheck: tools/vulncheck/go.mod tools/vulncheck/go.sum
	@tools/scripts/install-tool vulncheck golang.org/x/vuln/cmd/govulncheck

$(TOOLS)/crane: tools/images/go.mod tools/images/go.sum
	@tools/scripts/install-tool images github.com/google/go-containerregistry/cmd/crane
