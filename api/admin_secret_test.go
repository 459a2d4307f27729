package api_test

import (
	"net/http"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/procession-dev/procession/test/kit/apitest"
)

// The right to issue and revoke secrets of one resource gives none on others'.
func TestASecretIsRevokedThroughItsOwner(t *testing.T) {
	t.Parallel()
	s := apitest.NewAdministered(t)
	f, other := makeThings(s, "north", "one"), makeThings(s, "south", "one")
	absent := s.Refused(404, "NOT_FOUND", s.As("owner"), http.MethodDelete,
		apitest.ResourcePath("north", "Application", f.application, "/secrets/"+uuid.NewString()), "")
	for _, path := range []string{
		apitest.ResourcePath("north", "Application", "worker", "/secrets/"+f.secret.String()),
		apitest.ResourcePath("north", "Application", f.application, "/secrets/"+other.secret.String()),
	} {
		failure := s.Refused(404, "NOT_FOUND", s.As("owner"), http.MethodDelete, path, "")
		require.Equal(t, absent.Message, failure.Message)
	}
	require.Equal(t, 2, s.Count(`SELECT count(*) FROM credentials WHERE id IN ($1, $2)`, f.secret, other.secret))
}
