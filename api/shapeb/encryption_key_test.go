package shapeb_test

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
	"github.com/procession-dev/procession/test/kit/apitest"
)

// kmsKey reads a key as a worker does, and returns its base64.
func kmsKey(s *apitest.Service, as demo.Account, keyID string) string {
	s.T.Helper()
	got := s.Get(200, as, "/kms/keys/"+keyID)
	require.Equal(s.T, "no-store", got.Header.Get("Cache-Control"))
	require.Equal(s.T, "application/json", got.Header.Get("Content-Type"))
	require.Empty(s.T, got.Header.Get("Content-Encoding"))
	var members map[string]string
	require.NoError(s.T, json.Unmarshal([]byte(got.Body), &members))
	require.Len(s.T, members, 2)
	require.Equal(s.T, keyID, members["id"])
	value, err := base64.StdEncoding.DecodeString(members["value"])
	require.NoError(s.T, err)
	require.Len(s.T, value, 32)
	return members["value"]
}

func TestWorkersReadKeys(t *testing.T) {
	t.Parallel()
	s := apitest.NewService(t)
	first := kmsKey(s, demo.LoanWorker(), "demo-key")
	require.Equal(t, first, kmsKey(s, demo.LoanWorker(), "demo-key"))
	unknown := s.Get(404, demo.LoanWorker(), "/kms/keys/unknown")
	require.Equal(t, unknown.Timeless(), s.Get(404, demo.OtherWorker(), "/kms/keys/demo-key").Timeless())
	for _, as := range []demo.Account{demo.Stranger(), demo.Reader(), demo.Alice(), demo.Carol()} {
		for _, key := range []string{"demo-key", "unknown"} {
			s.Refused(403, "ACCESS_DENIED", as, http.MethodGet, "/kms/keys/"+key, "")
		}
	}
	s.Refused(403, "ACCESS_DENIED", demo.Stranger(), http.MethodPost, "/workers",
		`{"identity":"w","taskQueue":"q","hostname":"h","ip":"127.0.0.1"}`)
	s.Lists(demo.Stranger().ID, "q")
	require.Equal(t, first, kmsKey(s, demo.Stranger(), "demo-key"), "the key is shared")
	s.Get(404, demo.LoanWorker(), "/kms/keys/demo-key%2F..")
}

func TestRotatedKeysStayReadable(t *testing.T) {
	t.Parallel()
	s := apitest.NewAdministered(t)
	worker := s.As("worker")
	first := kmsKey(s.Service, worker, "payloads")
	made := apitest.Decode[oasadmin.EncryptionKeyVersion](t, s.Post(201, s.As("administrator"), apitest.KeyPath("north", "payloads", "/~actions/rotate"), ""))
	require.Equal(t, "payloads.2", made.KeyID)
	require.Equal(t, 2, made.Version)
	require.Equal(t, s.As("administrator").ID, made.CreatedBy)
	require.Equal(t, first, kmsKey(s.Service, worker, "payloads"))
	require.NotEqual(t, first, kmsKey(s.Service, worker, "payloads.2"))

	got := s.Get(200, s.As("owner"), apitest.KeyPath("north", "payloads", "/versions"))
	versions := apitest.Decode[oasadmin.EncryptionKeyVersionList](t, got).Content
	require.Len(t, versions, 2)
	require.Equal(t, made, versions[0])
	require.Equal(t, "payloads", versions[1].KeyID)
	for _, path := range []string{apitest.KeyPath("north", "LOAN", "/versions"), apitest.KeyPath("north", "absent", "/versions")} {
		s.Refused(404, "NOT_FOUND", s.As("owner"), http.MethodGet, path, "")
	}
	s.Refused(404, "NOT_FOUND", s.As("owner"), http.MethodPost, apitest.KeyPath("north", "LOAN", "/~actions/rotate"), "")
}

func TestTheCodeOfAKeyHasNoDot(t *testing.T) {
	t.Parallel()
	s := apitest.NewAdministered(t)
	failure := s.Refused(400, "VALIDATION", s.As("owner"), http.MethodPost, apitest.ApplyPath,
		apitest.Applying("", apitest.Document("north", "EncryptionKey", "payloads.2", `{}`)))
	require.Equal(t, "/documents/0/metadata/code", failure.Errors[0].Location)
	failure = s.Refused(400, "VALIDATION", s.As("owner"), http.MethodPost, apitest.ApplyPath,
		apitest.Applying("", apitest.Document("north", "EncryptionKey", "other", `{"value":"AAAA"}`)))
	require.Equal(t, "/documents/0/spec/value", failure.Errors[0].Location)
}

// A key appears in the answer to a worker only: in no log, no table and no
// document.
func TestKeysAreInNoLogAndNoTable(t *testing.T) {
	t.Parallel()
	var log bytes.Buffer
	s := apitest.NewAdministered(t, func(o *api.Options) {
		o.Log = slog.New(slog.NewJSONHandler(&log, &slog.HandlerOptions{Level: slog.LevelDebug}))
	})
	s.Post(201, s.As("owner"), apitest.KeyPath("north", "payloads", "/~actions/rotate"), "")
	answers := s.Get(200, s.As("owner"), apitest.KeyPath("north", "payloads", "/versions")).Body +
		s.Get(200, s.As("owner"), apitest.ResourcePath("north", "EncryptionKey", "payloads", "")).Body +
		s.Get(200, s.As("owner"), apitest.AdminAPI+"/resources?kind=EncryptionKey").Body
	for _, keyID := range []string{"payloads", "payloads.2"} {
		encoded := kmsKey(s.Service, s.As("worker"), keyID)
		value, err := base64.StdEncoding.DecodeString(encoded)
		require.NoError(t, err)
		for _, form := range []string{encoded, string(value), hex.EncodeToString(value)} {
			require.NotContains(t, log.String(), form)
			require.NotContains(t, answers, form)
		}
		for _, form := range []string{encoded, hex.EncodeToString(value)} {
			for table, n := range s.Holding(form) {
				require.Zero(t, n, table)
			}
		}
	}
	require.NotEmpty(t, log.String())
	// The search finds a planted key.
	planted := []byte("a key of 32 bytes in the open...")
	require.NoError(t, s.DB.Write(t.Context(), func(tx *persistence.Tx) error {
		tx.InsertEncryptionKey(domain.EncryptionKey{
			ID: uuid.New(), TenantID: demo.TenantDemo(), Code: "planted", KeyID: "planted", Version: 1, CreatedAt: s.Now(),
		}, planted)
		return nil
	}))
	require.Equal(t, 1, s.Holding(hex.EncodeToString(planted))["encryption_keys"])
}
