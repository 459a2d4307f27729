package console_test

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/procession-dev/procession/devstack/demo"
	"github.com/procession-dev/procession/test/kit/browsertest"
)

// A long subject has two lines in lists, and one with an override of the direction is isolated from the text around it.
func TestLongSubjectsInLists(t *testing.T) {
	t.Parallel()
	s := makeSite(t)
	s.t = t
	process := s.startLoan("\u202eLong " + strings.Repeat("subject ", 30))
	s.assignTask(s.createTask(process, "APPROVE_LOAN", ""), demo.Bob())
	bob := s.signIn("Bob")
	for path, selector := range map[string]string{"tasks?view=mine": ".row-subject", "processes": ".row-title"} {
		bob.openPath(path)
		bob.AwaitText("Long subject")
		for _, width := range []int64{390, 1280} {
			bob.Size(width, 800)
			if *screenshots != "" {
				bob.Screenshot(filepath.Join(*screenshots, "subject-"+strings.Trim(selector, ".")+"-"+map[int64]string{390: "390", 1280: "1280"}[width]+".png"))
			}
			lines := `(() => { const e = document.querySelector(".row-item ` + selector + `");
				return [Math.round(e.clientHeight / parseFloat(getComputedStyle(e).lineHeight)), e.querySelectorAll(":scope > bdi").length] })()`
			found := browsertest.Eval[[]int](bob.Tab, lines)
			require.LessOrEqual(t, found[0], 2, "%s at %d", path, width)
			require.Equal(t, 1, found[1], path)
		}
	}
}
