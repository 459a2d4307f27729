package domain_test

import (
	"errors"
	"fmt"
	"io"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/procession-dev/procession/domain"
)

func TestErrorText(t *testing.T) {
	t.Parallel()
	e := domain.Conflict(domain.CodeConflict, "the id is taken")
	require.Equal(t, "CONFLICT: the id is taken", e.Error())
	e.Cause = io.ErrUnexpectedEOF
	require.Equal(t, "CONFLICT: the id is taken: unexpected EOF", e.Error())
	require.ErrorIs(t, e, io.ErrUnexpectedEOF)
	require.NoError(t, domain.Denied("no").Unwrap())
}

func TestHasCode(t *testing.T) {
	t.Parallel()
	wrapped := fmt.Errorf("loading: %w", domain.NotFound("process"))
	require.True(t, domain.HasCode(wrapped, domain.CodeNotFound))
	require.False(t, domain.HasCode(wrapped, domain.CodeConflict))
	require.False(t, domain.HasCode(errors.New("NOT_FOUND"), domain.CodeNotFound))
	require.False(t, domain.HasCode(nil, domain.CodeNotFound))
}

func TestErrorConstructors(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		err  *domain.Error
		kind domain.Kind
		code domain.Code
		text string
	}{
		{domain.NotFound("task"), domain.KindNotFound, domain.CodeNotFound, "task not found"},
		{domain.Denied("no"), domain.KindDenied, domain.CodeAccessDenied, "no"},
		{domain.Unauthenticated(), domain.KindUnauthenticated, domain.CodeUnauthenticated, "valid credentials are required"},
		{domain.ProcessFinished(), domain.KindDenied, domain.CodeProcessFinished, "the process is finished"},
		{domain.Conflict(domain.CodeInvalidState, "not now"), domain.KindConflict, domain.CodeInvalidState, "not now"},
	} {
		require.Equal(t, &domain.Error{Kind: c.kind, Code: c.code, Message: c.text}, c.err)
	}
	require.Equal(t, &domain.Error{
		Kind: domain.KindInvalid, Code: domain.CodeValidation, Message: "the request is not valid",
		Details: []domain.Detail{{Code: domain.CodeValidation, Message: "is negative", Location: "size", LocationType: domain.LocationQuery}},
	}, domain.Invalid(domain.LocationQuery, "size", "is negative"))
	require.Equal(t, domain.Invalid(domain.LocationBody, "/a~1b", "is required"), domain.InvalidBody("/a~1b", "is required"))
}
