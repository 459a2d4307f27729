package browsertest

import (
	"os"
	"path/filepath"
	"sync"

	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/require"
)

//nolint:gochecknoglobals // it is read once
var readAxe = sync.OnceValues(func() ([]byte, error) {
	dir, err := os.Getwd()
	if err != nil {
		return nil, err
	}
	for {
		content, err := os.ReadFile(filepath.Join(dir, "console/assets/node_modules/axe-core/axe.min.js")) //nolint:gosec // a package of this repository
		if err == nil || dir == filepath.Dir(dir) {
			return content, err
		}
		dir = filepath.Dir(dir)
	}
})

// RequireAccessible fails the test for each problem that axe-core finds on the page. In
// the dark scheme it looks at colours alone: all else is the same as in the light one.
func (b *Tab) RequireAccessible() {
	b.t.Helper()
	if !Eval[bool](b, "!!window.axe") {
		script, err := readAxe()
		require.NoError(b.t, err, "make assets fetches axe-core")
		_, err = chromedp.Run(b.ctx, chromedp.Evaluate[bool](string(script)+"; true"))
		require.NoError(b.t, err)
	}
	// Colours change gradually from one scheme to another.
	b.Await("document.getAnimations().length === 0")
	rules := ""
	if b.scheme == "dark" {
		rules = `, runOnly: ["color-contrast"]`
	}
	// No enabled rule reads style sheets, which axe would fetch again otherwise.
	found := Eval[[]string](b, `axe.run(document, {resultTypes: ["violations"], preload: {assets: ["media"]}`+rules+`}).then((r) => r.violations.flatMap((v) =>
		v.nodes.map((n) => v.id + ": " + n.target.join(" ") + ": " + n.any.concat(n.all, n.none).map((c) => c.message).join("; "))))`)
	require.Empty(b.t, found, "what axe finds at %s", b.Path())
}
