package ui_test

import (
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/procession-dev/procession/console/ui"
	"github.com/procession-dev/procession/domain"
)

// Messages of errors are English and do not reach a German page.
func TestErrorsAreInTheLanguageOfThePage(t *testing.T) {
	t.Parallel()
	r := httptest.NewRequest(http.MethodGet, "/", nil)
	r.AddCookie(&http.Cookie{Name: ui.LanguageCookie, Value: "de"})
	german, english := &ui.Viewer{}, &ui.Viewer{}
	german.Read(r)
	english.Read(httptest.NewRequest(http.MethodGet, "/", nil))
	const message = "an English message"
	for _, kind := range []domain.Kind{
		domain.KindInvalid, domain.KindNotFound, domain.KindDenied, domain.KindConflict, domain.KindPrecondition, domain.KindTooLarge,
		domain.KindOutOfRange, domain.KindUnsupportedMedia, domain.KindRateLimited, domain.KindUnavailable, domain.KindUnauthenticated,
	} {
		err := &domain.Error{Kind: kind, Code: "OF_NO_TEXT", Message: message, Details: []domain.Detail{
			{Location: "/a", Message: message}, {Message: message},
		}}
		in := ui.Problem(ui.WithViewer(t.Context(), german), err)
		require.NotContains(t, in, message)
		require.NotContains(t, in, "The request failed", "in %v", kind)
		require.Contains(t, in, "/a ist ungültig.")
		require.Equal(t, message+"\n/a "+message+"\n"+message, ui.Problem(ui.WithViewer(t.Context(), english), err))
	}

	notStarted := domain.Conflict(domain.CodeInvalidState, "the workflow is not started yet")
	require.Equal(t, "Der Ablauf ist noch nicht gestartet.", ui.Reason(ui.WithViewer(t.Context(), german), notStarted))
	unknown := domain.Conflict(domain.CodeInvalidState, "no resource is selected")
	require.Equal(t, "No resource is selected.", ui.Reason(ui.WithViewer(t.Context(), english), unknown))
	require.Equal(t, "Der jetzige Zustand erlaubt das nicht.", ui.Reason(ui.WithViewer(t.Context(), german), unknown))
	for _, code := range []domain.Code{domain.CodeInvalidState, "OF_NO_TEXT"} {
		require.Equal(t, "The current state does not allow this.", ui.ReasonOf(ui.WithViewer(t.Context(), english), code))
		require.Equal(t, "Der jetzige Zustand erlaubt das nicht.", ui.ReasonOf(ui.WithViewer(t.Context(), german), code))
	}
}
