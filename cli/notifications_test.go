package cli_test

import (
	"net/http"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/procession-dev/procession/cli"
)

func TestNotifications(t *testing.T) {
	t.Parallel()
	w := newNorth(t)
	require.Empty(t, w.succeeds("notifications", "list"))
	w.fails(cli.ExitUsage, "notifications", "read")
	w.fails(cli.ExitUsage, "notifications", "read", "--all", uuid.NewString())
	w.fails(cli.ExitUsage, "notifications", "read", "x")
	w.fails(cli.ExitUsage, "notifications", "list", "--kind", "NEWS")
	require.Empty(t, w.succeeds("notifications", "read", "--all"))
	require.Empty(t, w.succeeds("notifications", "read", uuid.NewString()))
	w.ask(ownerToken, http.MethodGet, "/v2024-06-14/notifications?unread=true", "", http.StatusOK)
}
