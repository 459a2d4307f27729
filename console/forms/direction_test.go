package forms_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/procession-dev/procession/test/kit/browsertest"
)

// Texts of a form are aligned with their controls, also texts in another direction.
func TestTextsAreAlignedWithControls(t *testing.T) {
	t.Parallel()
	b := browsertest.New(t)
	for _, language := range sentences() {
		if language[0] != "ar" && language[0] != "ja" {
			continue
		}
		side := map[string]string{"ar": "right", "ja": "left"}[language[0]]
		for _, file := range []string{"20-problems", "19-read-only", "08-files"} {
			m, tried := screenForm(t, "testdata/screens/"+file+".json", language)
			showScreen(b, m.startSite(t), "light", 390, tried)
			require.Equal(t, []string{side}, browsertest.Eval[[]string](b, `[...new Set([...document.querySelectorAll(
				".form :is(.form-label, .form-value, .form-hint, .form-check-label, .form-file-name, .invalid-feedback, .alert-title, .form-summary li, legend, th, td)")]
				.map((e) => getComputedStyle(e).textAlign))]`), file)
			require.Empty(t, browsertest.Eval[[]string](b, `[...document.querySelectorAll(".form input.form-control.is-invalid")]
				.map((e) => getComputedStyle(e).backgroundPosition).filter((at) => at.startsWith("`+map[string]string{"left": "0", "right": "calc(100%"}[side]+`"))`), file)
		}
	}
}
