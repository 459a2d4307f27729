package ui_test

import (
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/procession-dev/procession/console/ui"
)

func TestBrowser(t *testing.T) {
	t.Parallel()
	const like = "AppleWebKit/537.36 (KHTML, like Gecko) "
	viewer := &ui.Viewer{}
	viewer.Read(httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/", nil))
	ctx := ui.WithViewer(t.Context(), viewer)
	for userAgent, want := range map[string]string{
		"Mozilla/5.0 (X11; Linux x86_64) " + like + "Chrome/156.0.0.0 Safari/537.36":                         "Chrome on Linux",
		"Mozilla/5.0 (Windows NT 10.0; Win64; x64) " + like + "Chrome/156.0.0.0 Safari/537.36 Edg/156.0.0.0": "Edge on Windows",
		"Mozilla/5.0 (Macintosh; Intel Mac OS X 10.15; rv:150.0) Gecko/20100101 Firefox/150.0":               "Firefox on macOS",
		"Mozilla/5.0 (iPhone; CPU iPhone OS 20_0 like Mac OS X) Version/20.0 Mobile/15E148 Safari/604.1":     "Safari on iPhone",
		"Mozilla/5.0 (Linux; Android 16) " + like + "Chrome/156.0.0.0 Mobile Safari/537.36":                  "Chrome on Android",
		"Mozilla/5.0 (iPhone; CPU iPhone OS 20_0 like Mac OS X) FxiOS/150.0 Mobile/15E148 Safari/605.1.15":   "Firefox on iPhone",
		"curl/8.0": "curl/8.0", "": "Unknown browser",
	} {
		require.Equal(t, want, ui.Browser(ctx, userAgent))
	}
}
