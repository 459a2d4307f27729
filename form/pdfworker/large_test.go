package pdfworker_test

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/procession-dev/procession/form"
	"github.com/procession-dev/procession/form/pdfworker"
	"github.com/procession-dev/procession/test/kit/formtest"
)

// documents is the folder to which TestLargeForm writes documents.
var documents = flag.String("documents", "", "folder to which a small form, a large one and forms of all scripts are written")

// largeForm returns a form of about 200 pages.
func largeForm(tb testing.TB) pdfworker.Job {
	tb.Helper()
	tables := map[string]any{}
	for name := range 3 {
		var rows []any
		for i := range 4000 {
			rows = append(rows, map[string]any{"step": fmt.Sprintf("window table %d", i)})
		}
		tables[fmt.Sprintf("part %d", name)] = rows
	}
	return valueJob(tb, tables)
}

// TestLargeForm renders 200 pages within the memory of a child.
func TestLargeForm(t *testing.T) {
	t.Parallel()
	small, large := render(t, inspection(t), openData(pngImage(t, 60, 40))), render(t, largeForm(t), nil)
	require.Contains(t, textOf(t, large), "window table 3999")
	if *documents == "" {
		return
	}
	scripts := scriptJobs(t)
	for name, content := range map[string][]byte{
		"small": small, "large": large, "left": render(t, scripts[0], nil), "right": render(t, scripts[1], nil),
	} {
		require.NoError(t, os.WriteFile(filepath.Join(*documents, name+".pdf"), content, 0o600))
	}
}

// TestTypesetterMemoryLimit exceeds the memory of a typesetter, which is killed; the pool goes on.
func TestTypesetterMemoryLimit(t *testing.T) {
	t.Parallel()
	const most = 110 << 20
	p := formtest.RequirePool(t)
	p.LimitMemory(most)
	_, err := p.Render(t.Context(), largeForm(t), nil)
	limit := new(form.LimitError)
	require.ErrorAs(t, err, &limit)
	require.Equal(t, form.LimitError{What: "bytes of memory", Max: most}, *limit)
	result, err := p.Render(t.Context(), inspection(t), openData(pngImage(t, 60, 40)))
	require.NoError(t, err)
	require.NotEmpty(t, result.Content)
}

func BenchmarkRender(b *testing.B) {
	for name, job := range map[string]pdfworker.Job{"page": inspection(b), "200 pages": largeForm(b)} {
		b.Run(name, func(b *testing.B) {
			p := formtest.RequirePool(b)
			for b.Loop() {
				_, err := p.Render(b.Context(), job, nil)
				require.NoError(b, err)
			}
		})
	}
}
