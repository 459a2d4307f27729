package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"log/slog"
	"net/http"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/procession-dev/procession/authn"
	"github.com/procession-dev/procession/cmd/procession/config"
	"github.com/procession-dev/procession/cmd/procession/doctor"
	"github.com/procession-dev/procession/cmd/procession/server"
	"github.com/procession-dev/procession/devstack/demo"
	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/persistence"
	"github.com/procession-dev/procession/test/kit/nettest"
	"github.com/procession-dev/procession/test/kit/oidctest"
	"github.com/procession-dev/procession/test/kit/pgtest"
)

// doctorChecks is the number of checks.
const doctorChecks = 27

// findings contains the findings of doctor by check.
type findings map[string]doctor.Finding

// examination contains a configuration and a time to examine.
type examination struct {
	config config.Config
	clock  func() time.Time
}

// examine runs doctor on a stack with a changed configuration or clock.
func (s *testStack) examine(t *testing.T, change func(*examination)) findings {
	t.Helper()
	e := &examination{config: s.config, clock: time.Now}
	change(e)
	found := findings{}
	options := server.DoctorOptions(e.config, e.clock)
	options.Timeout = testTimeout
	for _, f := range doctor.Examine(t.Context(), options) {
		found[f.Check] = f
		t.Log(f.Verdict, f.Check, f.Finding)
	}
	return found
}

// requireOnly requires that the checks with other verdicts than OK are these.
func (f findings) requireOnly(t *testing.T, want map[string]doctor.Verdict) {
	t.Helper()
	got := map[string]doctor.Verdict{}
	for name, finding := range f {
		if finding.Verdict != doctor.OK {
			got[name] = finding.Verdict
		}
		require.Equal(t, finding.Verdict == doctor.Warn || finding.Verdict == doctor.Fail, finding.Advice != "", "%+v", finding)
	}
	require.Equal(t, want, got)
}

// occupy registers a worker for every task queue that needs one.
func (s *testStack) occupy() {
	s.t.Helper()
	db := pgtest.Open(s.t, s.config.DatabaseURL)
	queues, err := db.Reader().ListTaskQueues(s.t.Context(), persistence.AdministrationScope{Everywhere: true},
		persistence.TaskQueueFilter{}, domain.PageRequest{Size: 100}, time.Now())
	require.NoError(s.t, err)
	require.NotEmpty(s.t, queues.Items)
	for _, q := range queues.Items {
		account := demo.LoanWorker()
		if q.TenantID != account.Tenant {
			account = demo.OtherWorker()
		}
		status, body := s.call(account, http.MethodPost, "/workers", map[string]any{
			"identity": "stand-in", "taskQueue": q.Name, "hostname": "host", "ip": "127.0.0.1",
		})
		require.Contains(s.t, []int{http.StatusOK, http.StatusCreated}, status, body)
	}
}

func TestDoctor(t *testing.T) {
	t.Parallel()
	// The stand-ins never poll, and other tests may take their time.
	s := newStack(t, false, withConfig(func(c *config.Config) { c.PollerTimeout = time.Hour }))
	nothing := func(*examination) {}
	s.examine(t, nothing).requireOnly(t, map[string]doctor.Verdict{doctor.CheckWorkers: doctor.Warn})
	s.occupy()
	s.await("the queues to be observed", func() bool {
		var seen int
		s.query(`SELECT count(*) FILTER (WHERE observed_at IS NULL) FROM task_queue_observations`, &seen)
		return seen == 0
	})
	healthy := s.examine(t, nothing)
	healthy.requireOnly(t, map[string]doctor.Verdict{})
	require.Len(t, healthy, doctorChecks)

	t.Run("as a command", func(t *testing.T) {
		t.Parallel()
		s.requireDoctorCommand(t)
	})
	t.Run("that finds something", func(t *testing.T) {
		t.Parallel()
		for name, c := range s.dependencyFaults(t) {
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				found := s.examine(t, c.change)
				found.requireOnly(t, c.want)
				require.Regexp(t, c.finding, found[c.check].Finding)
			})
		}
	})
}

func (s *testStack) requireDoctorCommand(t *testing.T) {
	t.Helper()
	file := filepath.Join(s.dir, "procession.yaml")
	text := printed(t, "doctor", "--config", file)
	lines := strings.Split(strings.TrimSpace(text), "\n")
	require.Len(t, lines, doctorChecks)
	require.Equal(t, "OK       configuration         complete", lines[0])
	require.Regexp(t, `^OK       database              PostgreSQL \d+\.\d+$`, lines[1])

	var out bytes.Buffer
	err := run(t.Context(), []string{
		"doctor", "--config", file, "-o", "json", "--temporal-address", nettest.FreeAddress(t),
		"--database-url", "postgres://me:hunter2@127.0.0.1:1/procession",
	}, &out, &bytes.Buffer{})
	require.EqualError(t, err, fmt.Sprintf("1 check of %d fails", len(lines)))
	require.Equal(t, 1, exitCode(err))
	require.NotContains(t, out.String(), "hunter2")
	var findings []doctor.Finding
	require.NoError(t, json.Unmarshal(out.Bytes(), &findings))
	require.Equal(t, doctor.Fail, findings[1].Verdict)
	require.Equal(t, "cannot be checked while database fails", findings[2].Finding)

	require.Equal(t, exitUsage, exitCode(run(t.Context(), []string{"doctor", "-o", "xml"}, &out, &out)))
	require.Equal(t, exitUsage, exitCode(run(t.Context(), []string{"doctor", "now"}, &out, &out)))
	out.Reset()
	err = run(t.Context(), []string{"doctor", "--task-log-limit", "0"}, &out, &bytes.Buffer{})
	require.Equal(t, 1, exitCode(err), "a wrong setting is a finding")
	require.Contains(t, out.String(), "FAIL     configuration         --task-log-limit must be 1 to 10000")
}

type dependencyFault struct {
	change  func(*examination)
	want    map[string]doctor.Verdict
	check   string
	finding string
}

// all gives every one of the checks the verdict.
func all(v doctor.Verdict, checks ...string) map[string]doctor.Verdict {
	verdicts := map[string]doctor.Verdict{}
	for _, name := range checks {
		verdicts[name] = v
	}
	return verdicts
}

// because returns the verdicts when one check fails and others depend on it.
func because(check string, dependent ...string) map[string]doctor.Verdict {
	verdicts := all(doctor.Skipped, dependent...)
	verdicts[check] = doctor.Fail
	return verdicts
}

func ofTemporal() []string {
	return []string{doctor.CheckTemporalOpen, doctor.CheckTemporalClock, doctor.CheckTemporalKeys, doctor.CheckNamespaces, doctor.CheckOwnWorkers}
}

func ofKeys() []string {
	return append([]string{doctor.CheckSigningKeys, doctor.CheckAuthorities, doctor.CheckTemporalTLS, doctor.CheckTemporalClusters, doctor.CheckTemporalCloud}, ofTemporal()...)
}

// dependencyFaults returns faults of the dependencies of the service.
func (s *testStack) dependencyFaults(t *testing.T) map[string]dependencyFault { //nolint:funlen // most of it is a table
	t.Helper()
	k, err := server.OpenKeys(t.Context(), s.config, slog.New(slog.DiscardHandler))
	require.NoError(t, err)
	t.Cleanup(k.DB.Close)
	temporalAt := func(address string) func(*examination) {
		return func(d *examination) { d.config.TemporalAddress = address }
	}
	later := func(by time.Duration) func(*examination) {
		return func(d *examination) { d.clock = func() time.Time { return time.Now().Add(by) } }
	}
	bare, half := s.anotherTemporal(t, ""), s.anotherTemporal(t, "")
	s.halfSetUp(t, k, half)
	ofDatabase := append(ofKeys(), doctor.CheckConnections, doctor.CheckDatabaseClock, doctor.CheckSchema, doctor.CheckReferences, doctor.CheckSealKey,
		doctor.CheckRetention, doctor.CheckEventLog, doctor.CheckWorkers, doctor.CheckTokens)
	return map[string]dependencyFault{
		"incomplete settings": {
			func(d *examination) { d.config.DocumentsURL, d.config.ListenTLS = "", "127.0.0.1:0" },
			all(doctor.Fail, doctor.CheckConfiguration, doctor.CheckDocuments, doctor.CheckHTTPS),
			doctor.CheckConfiguration, `--documents-url is required.*; --listen-tls needs`,
		},
		"no database": {
			func(d *examination) { d.config.DatabaseURL = "postgres://me:hunter2@127.0.0.1:1/procession" },
			because(doctor.CheckDatabase, ofDatabase...), doctor.CheckDatabase, `cannot be reached: .*refused`,
		},
		"a read-only database": {
			func(d *examination) {
				separator := "?"
				if strings.Contains(d.config.DatabaseURL, "?") {
					separator = "&"
				}
				d.config.DatabaseURL += separator + "default_transaction_read_only=on"
			},
			because(doctor.CheckDatabase, ofDatabase...), doctor.CheckDatabase, `^accepts no changes: .*read-only`,
		},
		"a pooler without a direct URL": {
			func(d *examination) { d.config.DatabaseURL = pgtest.Pooler(t, s.config.DatabaseURL) },
			because(doctor.CheckDatabase, ofDatabase...), doctor.CheckDatabase, `needs a direct URL`,
		},
		"a pooler without a direct URL that takes all settings": {
			func(d *examination) {
				d.config.DatabaseURL = pgtest.Pooler(t, s.config.DatabaseURL, pgtest.TakesAllSettings) +
					"&default_query_exec_mode=cache_describe"
			},
			all(doctor.Fail, doctor.CheckConnections), doctor.CheckConnections, `^--database-url leads through a pooler`,
		},
		"a direct URL of another database": {
			func(d *examination) { d.config.DatabaseDirectURL = pgtest.URL(t) },
			all(doctor.Fail, doctor.CheckConnections), doctor.CheckConnections, `leads to another database`,
		},
		"old schema": {
			func(d *examination) { d.config.DatabaseURL = oldDatabase(t) },
			because(doctor.CheckSchema, append(ofKeys(), doctor.CheckReferences, doctor.CheckSealKey, doctor.CheckRetention, doctor.CheckEventLog,
				doctor.CheckWorkers, doctor.CheckTokens)...),
			doctor.CheckSchema, `is older than this build`,
		},
		"another seal key": {
			func(d *examination) { d.config.SealKeyFile = anotherSealKey(t) },
			because(doctor.CheckSealKey, ofKeys()...),
			doctor.CheckSealKey, `secrets cannot be opened: 2 of 2 in signing_keys`,
		},
		"a seal key that all can read": {
			func(d *examination) { d.config.SealKeyFile = exposedCopy(t, d.config.SealKeyFile) },
			all(doctor.Warn, doctor.CheckSealKey), doctor.CheckSealKey, `^every user of the machine can read /.*/exposed.key$`,
		},
		"documents that cannot be written": {
			func(d *examination) { d.config.DocumentsURL = "file://" + d.config.SealKeyFile },
			all(doctor.Fail, doctor.CheckDocuments), doctor.CheckDocuments, `not a directory`,
		},
		"documents that are not there": {
			func(d *examination) { d.config.DocumentsURL = "file:///nowhere/at/all" },
			all(doctor.Fail, doctor.CheckDocuments), doctor.CheckDocuments, `^the directory /nowhere/at/all does not exist$`,
		},
		"an issuer that does not answer": {
			func(d *examination) {
				d.config.OIDCIssuers = []authn.OIDCIssuer{{Issuer: "http://127.0.0.1:1", Audiences: []string{"procession"}}}
			},
			all(doctor.Fail, doctor.CheckOIDC), doctor.CheckOIDC, `^issuer http://127.0.0.1:1: .*refused`,
		},
		"an issuer for the users of all tenants": {
			func(d *examination) {
				issuer := oidctest.NewIssuer(t, oidctest.NewKey(t, "ES256", "es"))
				d.config.OIDCIssuers = []authn.OIDCIssuer{{Issuer: issuer.URL(), Audiences: []string{"procession"}}}
			},
			all(doctor.Warn, doctor.CheckOIDC), doctor.CheckOIDC, `may sign in users of all tenants`,
		},
		"an issuer of the console": {
			func(d *examination) {
				issuer := oidctest.NewIssuer(t, oidctest.NewKey(t, "ES256", "es"))
				d.config.PublicURL = "https://procession.example/"
				d.config.OIDCIssuers = []authn.OIDCIssuer{{
					Issuer: issuer.URL(), Audiences: []string{"procession"}, Tenants: []string{"*"}, ClientID: "console",
				}}
			},
			all(doctor.OK), doctor.CheckOIDC, `^1 answer; redirect URIs of the console: https://procession.example/console/sign-in/callback/127.0.0.1-\d+$`,
		},
		"an HTTPS certificate that ends soon": {
			func(d *examination) { s.https(t, k, d, 29*24*time.Hour) },
			all(doctor.Warn, doctor.CheckHTTPS), doctor.CheckHTTPS, `expires in 28 days`,
		},
		"an HTTPS certificate that has ended": {
			func(d *examination) { s.https(t, k, d, -time.Hour) },
			all(doctor.Fail, doctor.CheckHTTPS), doctor.CheckHTTPS, `expired at`,
		},
		"Temporal down": {
			temporalAt("127.0.0.1:1"),
			because(doctor.CheckTemporalTLS, ofTemporal()...),
			doctor.CheckTemporalTLS, `refused`,
		},
		"Temporal answers without TLS": {
			temporalAt(plainTemporal(t)), because(doctor.CheckTemporalTLS, ofTemporal()...),
			doctor.CheckTemporalTLS, `^Temporal answers without TLS`,
		},
		"Temporal answers with TLS": {
			func(d *examination) {
				d.config.TemporalAddress = fakeTemporal(t, k.Issuer, serverPair(t, k.Issuer, time.Hour, "127.0.0.1"))
				d.config.TemporalTLS = false
			},
			because(doctor.CheckTemporalTLS, ofTemporal()...),
			doctor.CheckTemporalTLS, `^Temporal answers with TLS`,
		},
		"Temporal's certificate has expired": {
			temporalAt(fakeTemporal(t, k.Issuer, serverPair(t, k.Issuer, -time.Hour, "127.0.0.1"))),
			because(doctor.CheckTemporalTLS, ofTemporal()...),
			doctor.CheckTemporalTLS, `^Temporal's certificate expired at `,
		},
		"Temporal's certificate is for another host": {
			temporalAt(fakeTemporal(t, k.Issuer, serverPair(t, k.Issuer, 40*24*time.Hour, "temporal.example"))),
			because(doctor.CheckTemporalTLS, ofTemporal()...),
			doctor.CheckTemporalTLS, `^Temporal's certificate is for another host`,
		},
		"Temporal's certificate comes from elsewhere": {
			func(d *examination) {
				d.config.TemporalAddress = fakeTemporal(t, k.Issuer, serverPair(t, anotherIssuer(t), 40*24*time.Hour, "127.0.0.1"))
			},
			because(doctor.CheckTemporalTLS, ofTemporal()...),
			doctor.CheckTemporalTLS, `is from an untrusted authority`,
		},
		"Temporal lets anybody in": {
			temporalAt(fakeTemporal(t, k.Issuer, serverPair(t, k.Issuer, 29*24*time.Hour, "127.0.0.1"))),
			map[string]doctor.Verdict{
				doctor.CheckTemporalTLS: doctor.Warn, doctor.CheckTemporalOpen: doctor.Fail, doctor.CheckTemporalClock: doctor.Skipped,
				doctor.CheckTemporalKeys: doctor.Skipped, doctor.CheckNamespaces: doctor.Fail, doctor.CheckOwnWorkers: doctor.Fail,
			},
			doctor.CheckTemporalOpen, `accepts calls without a token`,
		},
		"Temporal does not know our key": {
			temporalAt(s.anotherTemporal(t, emptyKeySet(t))),
			map[string]doctor.Verdict{
				doctor.CheckTemporalClock: doctor.Skipped, doctor.CheckTemporalKeys: doctor.Fail,
				doctor.CheckNamespaces: doctor.Skipped, doctor.CheckOwnWorkers: doctor.Skipped,
			},
			doctor.CheckTemporalKeys, `does not accept tokens that are signed with key ` + k.Issuer.TokenKeyID(time.Now()),
		},
		"our clock is a little fast": {
			later(8 * time.Second), all(doctor.Warn, doctor.CheckTemporalClock, doctor.CheckDatabaseClock),
			doctor.CheckTemporalClock, `^Temporal's clock is more than 5s behind ours$`,
		},
		"our clock is slow": {
			later(-45 * time.Second), all(doctor.Warn, doctor.CheckTemporalClock, doctor.CheckDatabaseClock),
			doctor.CheckTemporalClock, `^Temporal's clock is more than 5s ahead of ours$`,
		},
		"our clock is far ahead": {
			later(33 * time.Minute),
			map[string]doctor.Verdict{
				doctor.CheckTemporalKeys: doctor.Fail, doctor.CheckTemporalClock: doctor.Skipped, doctor.CheckNamespaces: doctor.Skipped,
				doctor.CheckOwnWorkers: doctor.Skipped, doctor.CheckDatabaseClock: doctor.Fail, doctor.CheckWorkers: doctor.Warn,
			},
			doctor.CheckDatabaseClock, `^the database's clock is about (32m59|33m0|33m1)s behind ours$`,
		},
		"no namespaces": {
			temporalAt(bare), all(doctor.Fail, doctor.CheckNamespaces, doctor.CheckOwnWorkers),
			doctor.CheckNamespaces, `^the namespace procession does not exist$`,
		},
		"a namespace without the search attribute": {
			temporalAt(half), all(doctor.Fail, doctor.CheckNamespaces, doctor.CheckOwnWorkers),
			doctor.CheckNamespaces, `^the namespace demo has no search attribute KuFlowWorkflowVersion$`,
		},
		"no worker of the service": {
			temporalAt(half), all(doctor.Fail, doctor.CheckNamespaces, doctor.CheckOwnWorkers),
			doctor.CheckOwnWorkers, `^no replica of the service polls`,
		},
	}
}

// https configures an HTTPS listener with a certificate of the given remaining lifetime.
func (s *testStack) https(t *testing.T, k *server.Keyring, d *examination, left time.Duration) {
	t.Helper()
	files, err := server.WriteCertificate(k.Issuer, t.TempDir(), []string{"localhost"},
		time.Now().Add(left-server.FrontendCertificateLifetime))
	require.NoError(t, err)
	d.config.ListenTLS, d.config.TLSCert, d.config.TLSKey = "127.0.0.1:0", files.Cert, files.Key
}
