package apitest

import (
	"encoding/base64"
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	oasb "github.com/procession-dev/procession/api/shapeb/oas"
)

// EngineClaims are the claims of an engine token.
type EngineClaims struct {
	Sub              string
	Permissions      []string
	TaskQueues       []string `json:"task_queues"`
	TenantTaskQueues []string `json:"tenant_task_queues"`
}

// ClaimsOf reads the claims of an engine token without checking it.
func ClaimsOf(t *testing.T, token oasb.Authentication) EngineClaims {
	t.Helper()
	parts := strings.Split(token.EngineToken.Token, ".")
	require.Len(t, parts, 3)
	payload, err := base64.RawURLEncoding.DecodeString(parts[1])
	require.NoError(t, err)
	var claims EngineClaims
	require.NoError(t, json.Unmarshal(payload, &claims))
	return claims
}
