package domain_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/procession-dev/procession/domain"
)

func TestAdmitDocument(t *testing.T) {
	t.Parallel()
	q := domain.Quotas{TemporaryDocuments: 8, TemporaryBytes: 800}
	for name, c := range map[string]struct {
		all, own domain.DocumentUse
		size     int64
		admitted bool
	}{
		"first":                   {domain.DocumentUse{}, domain.DocumentUse{}, 200, true},
		"too large for principal": {domain.DocumentUse{}, domain.DocumentUse{}, 201, false},
		"last of principal":       {domain.DocumentUse{Documents: 1}, domain.DocumentUse{Documents: 1}, 1, true},
		"too many of principal":   {domain.DocumentUse{Documents: 2}, domain.DocumentUse{Documents: 2}, 1, false},
		"last of tenant":          {domain.DocumentUse{Documents: 7, Bytes: 799}, domain.DocumentUse{}, 1, true},
		"too many of tenant":      {domain.DocumentUse{Documents: 8}, domain.DocumentUse{}, 1, false},
		"too large for tenant":    {domain.DocumentUse{Bytes: 800}, domain.DocumentUse{}, 1, false},
	} {
		err := q.AdmitDocument(c.all, c.own, c.size)
		require.Equal(t, c.admitted, err == nil, name)
		require.Equal(t, !c.admitted, domain.HasCode(err, domain.CodeConflict), name)
	}
}

func TestAdmitAssistance(t *testing.T) {
	t.Parallel()
	q := domain.Quotas{AssistancePerDay: 3, AssistanceAtOnce: 2}
	require.NoError(t, q.AdmitAssistance(domain.AssistanceUse{Today: 2, Pending: 1}))
	require.ErrorContains(t, q.AdmitAssistance(domain.AssistanceUse{Today: 3}), "today")
	require.ErrorContains(t, q.AdmitAssistance(domain.AssistanceUse{Pending: 2}), "at once")
}
