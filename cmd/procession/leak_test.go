package main

import (
	"bytes"
	"context"
	"crypto/ecdsa"
	"crypto/x509"
	"encoding/base64"
	"encoding/hex"
	"encoding/pem"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/spf13/pflag"
	"github.com/stretchr/testify/require"

	"github.com/procession-dev/procession/devstack/demo"
	"github.com/procession-dev/procession/persistence"
	"github.com/procession-dev/procession/test/kit/demotest"
	"github.com/procession-dev/procession/test/kit/nettest"
	"github.com/procession-dev/procession/test/kit/pgtest"
)

// secretParts contains the encodings of each secret that must occur nowhere.
type secretParts struct {
	mu    sync.Mutex
	parts map[string]string // description by part
}

func (p *secretParts) add(what, part string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.parts == nil {
		p.parts = map[string]string{}
	}
	p.parts[part] = what
}

// token adds a JSON Web Token. Its header is the same in all.
func (p *secretParts) token(t *testing.T, token string) {
	t.Helper()
	parts := strings.Split(token, ".")
	require.Len(t, parts, 3)
	p.add("token", parts[1])
	p.add("token", parts[2])
}

// key adds a private key: in PEM, and the number that it is about as bytes, in
// hexadecimal and in base64 of each alignment.
func (p *secretParts) key(t *testing.T, what string, der []byte) {
	t.Helper()
	parsed, err := x509.ParsePKCS8PrivateKey(der)
	require.NoError(t, err)
	private, ok := parsed.(*ecdsa.PrivateKey)
	require.True(t, ok)
	number, err := private.Bytes()
	require.NoError(t, err)
	// The number is in the first two lines of the key, the public half follows.
	lines := strings.Split(string(pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: der})), "\n")
	p.add(what, lines[1])
	p.add(what, lines[2])
	p.add(what, string(number))
	p.add(what, hex.EncodeToString(number))
	p.add(what, strings.ToUpper(hex.EncodeToString(number)))
	for skipped := range 3 {
		for _, encoding := range []*base64.Encoding{base64.RawStdEncoding, base64.RawURLEncoding} {
			// The bytes before and behind decide the first and the last characters.
			text := encoding.EncodeToString(append(make([]byte, skipped), number...))
			p.add(what, text[4:len(text)-4])
		}
	}
}

// found returns which of the secrets are in the text.
func (p *secretParts) found(text []byte) map[string]bool {
	found := map[string]bool{}
	for part, what := range p.parts {
		if bytes.Contains(text, []byte(part)) {
			found[what] = true
		}
	}
	for _, mark := range []string{"PRIVATE KEY", "eyJhbGciOi"} {
		if bytes.Contains(text, []byte(mark)) {
			found[mark] = true
		}
	}
	return found
}

// dump returns the content of every table, as pg_dump writes it.
func dump(t *testing.T, url string) []byte {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), url)
	require.NoError(t, err)
	defer func() { _ = conn.Close(context.Background()) }()
	rows, err := conn.Query(t.Context(), `SELECT oid::regclass::text FROM pg_class
		WHERE relkind = 'r' AND relnamespace NOT IN ('pg_catalog'::regnamespace, 'information_schema'::regnamespace) ORDER BY 1`)
	require.NoError(t, err)
	tables, err := pgx.CollectRows(rows, pgx.RowTo[string])
	require.NoError(t, err)
	require.Greater(t, len(tables), 20)
	var content bytes.Buffer
	for _, table := range tables {
		content.WriteString(table + "\n")
		_, err := conn.PgConn().CopyTo(t.Context(), &content, "COPY "+table+" TO STDOUT")
		require.NoError(t, err)
	}
	return content.Bytes()
}

func TestThousandIssuesLeaveNoSecretBehind(t *testing.T) { //nolint:funlen // one story, from the first secret to the search for it
	t.Parallel()
	const issues, clients = 1000, 4
	s := &testStack{t: t, dir: t.TempDir(), http: &http.Client{}}
	s.config.BindFlags(pflag.NewFlagSet("test", pflag.ContinueOnError))
	s.config.DatabaseURL = demotest.URL(t)
	s.config.SealKeyFile = filepath.Join(s.dir, "seal.key")
	s.config.DocumentsURL = "file://" + filepath.Join(s.dir, "documents")
	s.config.Listen, s.config.ListenHealth, s.config.TemporalAddress = nettest.FreeAddress(t), nettest.FreeAddress(t), nettest.FreeAddress(t)
	s.config.LogLevel = slog.LevelDebug
	demotest.WriteSealKey(t, s.config.SealKeyFile)
	s.startService()
	t.Cleanup(s.killService)

	secrets := &secretParts{}
	var wait sync.WaitGroup
	for n := range clients {
		wait.Go(func() {
			for range issues / clients / 2 {
				status, got := s.call(demo.LoanWorker(), http.MethodPost, "/authentications", map[string]any{"type": "ENGINE_TOKEN"})
				if status != http.StatusOK {
					t.Errorf("client %d: status %d", n, status)
					return
				}
				secrets.token(t, field[string](t, got, "engineToken", "token"))
				status, got = s.call(demo.LoanWorker(), http.MethodPost, "/authentications", map[string]any{"type": "ENGINE_CERTIFICATE"})
				if status != http.StatusOK {
					t.Errorf("client %d: status %d", n, status)
					return
				}
				block, _ := pem.Decode([]byte(field[string](t, got, "engineCertificate", "tls", "clientPrivateKey")))
				secrets.key(t, "private key", block.Bytes)
			}
		})
	}
	wait.Wait()
	require.False(t, t.Failed())
	for _, family := range []string{"keys", "ca"} {
		s.command(family, "rotate")
	}

	stored, err := pgtest.Open(t, s.config.DatabaseURL).Reader().ListSigningKeys(t.Context())
	require.NoError(t, err)
	require.Len(t, stored, 4)
	var authority []byte
	for _, key := range stored {
		der, err := demotest.Sealer(t).Open(string(key.Purpose), key.ID, key.Private)
		require.NoError(t, err)
		if key.Purpose == persistence.SignsCertificates {
			authority = der
		}
		secrets.key(t, string(key.Purpose), der)
	}
	logged, err := os.ReadFile(filepath.Join(s.dir, "service.log"))
	require.NoError(t, err)
	require.Contains(t, string(logged), "/authentications", "the log has the requests")
	dumped := dump(t, s.config.DatabaseURL)
	require.GreaterOrEqual(t, bytes.Count(dumped, []byte("ENGINE_CERTIFICATE")), issues/2, "the dump has what was issued")
	require.Empty(t, secrets.found(dumped), "in the database")
	require.Empty(t, secrets.found(logged), "in the log")

	s.requirePlantedAreFound(secrets, authority, logged)
}

// requirePlantedAreFound proves that the search finds secrets of each kind, in a table and in a log.
func (s *testStack) requirePlantedAreFound(secrets *secretParts, authority, logged []byte) {
	s.t.Helper()
	status, got := s.call(demo.LoanWorker(), http.MethodPost, "/authentications", map[string]any{"type": "ENGINE_TOKEN"})
	require.Equal(s.t, http.StatusOK, status)
	token := field[string](s.t, got, "engineToken", "token")
	status, got = s.call(demo.LoanWorker(), http.MethodPost, "/authentications", map[string]any{"type": "ENGINE_CERTIFICATE"})
	require.Equal(s.t, http.StatusOK, status)
	private := field[string](s.t, got, "engineCertificate", "tls", "clientPrivateKey")
	block, _ := pem.Decode([]byte(private))
	secrets.token(s.t, token)
	secrets.key(s.t, "private key", block.Bytes)

	conn, err := pgx.Connect(s.t.Context(), s.config.DatabaseURL)
	require.NoError(s.t, err)
	defer func() { _ = conn.Close(context.Background()) }()
	for what, planted := range map[string]struct {
		column string
		value  any
	}{
		"token": {"text", token}, "private key": {"bytea", block.Bytes}, "PRIVATE KEY": {"text", private},
		"CERTIFICATE_AUTHORITY": {"bytea", authority},
	} {
		_, err := conn.Exec(s.t.Context(), "CREATE TABLE planted (content "+planted.column+")")
		require.NoError(s.t, err)
		_, err = conn.Exec(s.t.Context(), "INSERT INTO planted VALUES ($1::"+planted.column+")", planted.value)
		require.NoError(s.t, err)
		require.Contains(s.t, secrets.found(dump(s.t, s.config.DatabaseURL)), what, "in the database")
		_, err = conn.Exec(s.t.Context(), "DROP TABLE planted")
		require.NoError(s.t, err)
	}
	for what, planted := range map[string]string{
		"token": token, "private key": private, "PRIVATE KEY": private,
		"CERTIFICATE_AUTHORITY": base64.StdEncoding.EncodeToString(authority),
	} {
		var line bytes.Buffer
		slog.New(slog.NewJSONHandler(&line, nil)).Info("planted", slog.String("value", planted))
		require.Contains(s.t, secrets.found(append(bytes.Clone(logged), line.Bytes()...)), what, "in the log")
	}
	require.Empty(s.t, secrets.found(dump(s.t, s.config.DatabaseURL)))
}
