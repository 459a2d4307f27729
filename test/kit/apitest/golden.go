package apitest

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/procession-dev/procession/devstack/demo"
)

//nolint:gochecknoglobals // flags are
var update = flag.Bool("update", false, "write the bodies that tests see to testdata instead of comparing")

// RequireGolden compares the body of an answer, white space apart, with the file
// of this name in testdata.
func RequireGolden(t *testing.T, name string, got Answer) {
	t.Helper()
	var indented bytes.Buffer
	require.NoError(t, json.Indent(&indented, []byte(got.Body), "", "  "))
	path := filepath.Join("testdata", filepath.FromSlash(name)+".json")
	if *update {
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o750))
		require.NoError(t, os.WriteFile(path, indented.Bytes(), 0o600))
		return
	}
	want, err := os.ReadFile(path) //nolint:gosec // its name is in the test
	require.NoError(t, err)
	require.Equal(t, string(want), indented.String())
}

// keepMembership stores the metadata of a tenant user, and their errors as JSON.
func (s *Service) keepMembership(membership uuid.UUID, metadata string, valid bool, problems *string) {
	s.T.Helper()
	conn := s.Connect()
	defer func() { _ = conn.Close(s.T.Context()) }()
	_, err := conn.Exec(s.T.Context(),
		`UPDATE tenant_users SET metadata = $2, metadata_valid = $3, metadata_errors = $4 WHERE id = $1`,
		membership, metadata, valid, problems)
	require.NoError(s.T, err)
}

// DescribeUsers gives Alice valid metadata and Bob metadata with an error; Carol
// has none.
func (s *Service) DescribeUsers() {
	s.T.Helper()
	s.keepMembership(s.Membership(demo.Alice()), `{"ZIP":"01067","LIMIT":1E22,"NOTE":"<a> & b","DAYS":[1.10,null]}`, true, nil)
	s.keepMembership(s.Membership(demo.Bob()), `{"ZIP":7}`, false, new(`[{"propertyPath":"/ZIP","type":"type"}]`))
}

var randomID = regexp.MustCompile(`[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}`)

var instant = regexp.MustCompile(`"(createdAt|lastModifiedAt|expiredAt)":"2026-03-02T1[01]:30:[^"]*Z"`)

var secret = regexp.MustCompile(`"(token|serverRootCaCertificate|clientCertificate|clientPrivateKey)":"[^"]*"`)

// HidingRandomIDs masks the parts of an answer that differ between runs: random
// ids, fractions of seconds and secrets.
func (a Answer) HidingRandomIDs() Answer {
	a.Body = randomID.ReplaceAllStringFunc(a.Body, func(id string) string {
		if strings.HasPrefix(id, "01970000-") {
			return id
		}
		return "00000000-0000-0000-0000-000000000000"
	})
	a.Body = instant.ReplaceAllString(a.Body, `"$1":"2026-03-02T10:30:00.001Z"`)
	a.Body = secret.ReplaceAllString(a.Body, `"$1":""`)
	return a
}
