package api_test

import (
	"bytes"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"log/slog"
	"net/http"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/procession-dev/procession/api"
	oasadmin "github.com/procession-dev/procession/api/admin/oas"
	"github.com/procession-dev/procession/devstack/demo"
	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/persistence"
)

func keyPath(tenant, code, rest string) string {
	return adminAPI + "/encryption-keys/" + code + rest + "?tenant=" + tenant
}

// kmsKey reads a key as a worker does, and returns its base64.
func (s *service) kmsKey(as demo.Account, keyID string) string {
	s.t.Helper()
	got := s.get(200, as, "/kms/keys/"+keyID)
	require.Equal(s.t, "no-store", got.header.Get("Cache-Control"))
	require.Equal(s.t, "application/json", got.header.Get("Content-Type"))
	require.Empty(s.t, got.header.Get("Content-Encoding"))
	var members map[string]string
	require.NoError(s.t, json.Unmarshal([]byte(got.body), &members))
	require.Len(s.t, members, 2)
	require.Equal(s.t, keyID, members["id"])
	value, err := base64.StdEncoding.DecodeString(members["value"])
	require.NoError(s.t, err)
	require.Len(s.t, value, 32)
	return members["value"]
}

func TestWorkersReadKeys(t *testing.T) {
	t.Parallel()
	s := newService(t)
	first := s.kmsKey(demo.LoanWorker(), "demo-key")
	require.Equal(t, first, s.kmsKey(demo.LoanWorker(), "demo-key"))
	unknown := s.get(404, demo.LoanWorker(), "/kms/keys/unknown")
	require.Equal(t, unknown.timeless(), s.get(404, demo.OtherWorker(), "/kms/keys/demo-key").timeless())
	for _, as := range []demo.Account{demo.Stranger(), demo.Reader(), demo.Alice(), demo.Carol()} {
		for _, key := range []string{"demo-key", "unknown"} {
			s.refused(403, "ACCESS_DENIED", as, http.MethodGet, "/kms/keys/"+key, "")
		}
	}
	s.refused(403, "ACCESS_DENIED", demo.Stranger(), http.MethodPost, "/workers",
		`{"identity":"w","taskQueue":"q","hostname":"h","ip":"127.0.0.1"}`)
	s.lists(demo.Stranger().ID, "q")
	require.Equal(t, first, s.kmsKey(demo.Stranger(), "demo-key"), "the key is shared")
	s.get(404, demo.LoanWorker(), "/kms/keys/demo-key%2F..")
}

func TestRotatedKeysStayReadable(t *testing.T) {
	t.Parallel()
	s := newAdministered(t)
	worker := s.as("worker")
	first := s.kmsKey(worker, "payloads")
	made := decode[oasadmin.EncryptionKeyVersion](t, s.post(201, s.as("administrator"), keyPath("north", "payloads", "/~actions/rotate"), ""))
	require.Equal(t, "payloads.2", made.KeyID)
	require.Equal(t, 2, made.Version)
	require.Equal(t, s.as("administrator").ID, made.CreatedBy)
	require.Equal(t, first, s.kmsKey(worker, "payloads"))
	require.NotEqual(t, first, s.kmsKey(worker, "payloads.2"))

	got := s.get(200, s.as("owner"), keyPath("north", "payloads", "/versions"))
	versions := decode[oasadmin.EncryptionKeyVersionList](t, got).Content
	require.Len(t, versions, 2)
	require.Equal(t, made, versions[0])
	require.Equal(t, "payloads", versions[1].KeyID)
	for _, path := range []string{keyPath("north", "LOAN", "/versions"), keyPath("north", "absent", "/versions")} {
		s.refused(404, "NOT_FOUND", s.as("owner"), http.MethodGet, path, "")
	}
	s.refused(404, "NOT_FOUND", s.as("owner"), http.MethodPost, keyPath("north", "LOAN", "/~actions/rotate"), "")
}

func TestTheCodeOfAKeyHasNoDot(t *testing.T) {
	t.Parallel()
	s := newAdministered(t)
	failure := s.refused(400, "VALIDATION", s.as("owner"), http.MethodPost, applyPath,
		applying("", document("north", "EncryptionKey", "payloads.2", `{}`)))
	require.Equal(t, "/documents/0/metadata/code", failure.Errors[0].Location)
	failure = s.refused(400, "VALIDATION", s.as("owner"), http.MethodPost, applyPath,
		applying("", document("north", "EncryptionKey", "other", `{"value":"AAAA"}`)))
	require.Equal(t, "/documents/0/spec/value", failure.Errors[0].Location)
}

// A key appears in the answer to a worker only: in no log, no table and no
// document.
func TestKeysAreNowhereToBeSeen(t *testing.T) {
	t.Parallel()
	var log bytes.Buffer
	s := newAdministered(t, func(o *api.Options) {
		o.Log = slog.New(slog.NewJSONHandler(&log, &slog.HandlerOptions{Level: slog.LevelDebug}))
	})
	s.post(201, s.as("owner"), keyPath("north", "payloads", "/~actions/rotate"), "")
	answers := s.get(200, s.as("owner"), keyPath("north", "payloads", "/versions")).body +
		s.get(200, s.as("owner"), resourcePath("north", "EncryptionKey", "payloads", "")).body +
		s.get(200, s.as("owner"), adminAPI+"/resources?kind=EncryptionKey").body
	for _, keyID := range []string{"payloads", "payloads.2"} {
		encoded := s.kmsKey(s.as("worker"), keyID)
		value, err := base64.StdEncoding.DecodeString(encoded)
		require.NoError(t, err)
		for _, form := range []string{encoded, string(value), hex.EncodeToString(value)} {
			require.NotContains(t, log.String(), form)
			require.NotContains(t, answers, form)
		}
		for _, form := range []string{encoded, hex.EncodeToString(value)} {
			for table, n := range s.holding(form) {
				require.Zero(t, n, table)
			}
		}
	}
	require.NotEmpty(t, log.String())
	// The search finds what is there.
	planted := []byte("a key of 32 bytes in the open...")
	require.NoError(t, s.db.Write(t.Context(), func(tx *persistence.Tx) error {
		tx.InsertEncryptionKey(domain.EncryptionKey{
			ID: uuid.New(), TenantID: demo.TenantDemo(), Code: "planted", KeyID: "planted", Version: 1, CreatedAt: s.now(),
		}, planted)
		return nil
	}))
	require.Equal(t, 1, s.holding(hex.EncodeToString(planted))["encryption_keys"])
}
