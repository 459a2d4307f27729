package domain_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/procession-dev/procession/domain"
)

func TestExtrasNeedAWorkflowAndABound(t *testing.T) {
	t.Parallel()
	of := func(size int) json.RawMessage {
		return json.RawMessage(`{"A":"` + strings.Repeat("a", size-len(`{"A":""}`)) + `"}`)
	}
	require.NoError(t, domain.CheckExtras(nil, false))
	require.NoError(t, domain.CheckExtras(of(65_536), true))
	require.ErrorContains(t, domain.CheckExtras(of(65_537), true), "VALIDATION")
	require.ErrorContains(t, domain.CheckExtras(of(10), false), "VALIDATION")
}
