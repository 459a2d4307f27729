package health

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/text/language"

	"github.com/procession-dev/procession/app/administration"
	"github.com/procession-dev/procession/console/assets"
	"github.com/procession-dev/procession/console/ui"
	"github.com/procession-dev/procession/domain"
)

func TestFailingChecksComeFirst(t *testing.T) {
	t.Parallel()
	findings := []domain.Finding{
		{Check: "one", Verdict: domain.VerdictOK},
		{Check: "two", Verdict: domain.VerdictWarn},
		{Check: "three", Verdict: domain.VerdictFail},
		{Check: "four", Verdict: domain.VerdictSkipped},
		{Check: "five", Verdict: domain.VerdictOK},
		{Check: "six", Verdict: domain.VerdictFail},
	}
	var out strings.Builder
	require.NoError(t, findingsOf(t, &out, findings))
	at := -1
	for _, check := range []string{
		">three<", ">six<", ">two<", ">four<", `<details class="mt-2"><summary>2 checks pass`, ">one<", ">five<",
	} {
		next := strings.Index(out.String(), check)
		require.Greater(t, next, at, check)
		at = next
	}
	out.Reset()
	require.NoError(t, findingsOf(t, &out, findings[:1]))
	require.Contains(t, out.String(), `<details class="mt-2" open>`, "if all pass, they are shown")
}

func findingsOf(t *testing.T, out *strings.Builder, all []domain.Finding) error {
	t.Helper()
	return findings(administration.Examination{Findings: all}).Render(ui.WithViewer(t.Context(), &ui.Viewer{Language: language.English, Zone: time.UTC, Assets: &assets.Set{}}), out)
}
