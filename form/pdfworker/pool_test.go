package pdfworker_test

import (
	"archive/zip"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"image"
	"image/png"
	"io"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/procession-dev/procession/domain/kuflowref"
	"github.com/procession-dev/procession/form"
	"github.com/procession-dev/procession/form/pdf"
	"github.com/procession-dev/procession/form/pdfworker"
	"github.com/procession-dev/procession/internal/sandbox"
)

func TestMain(m *testing.M) {
	if code, child := sandbox.Serve(os.Args, map[string]sandbox.Task{pdfworker.TaskName: pdfworker.Task}); child {
		os.Exit(code)
	}
	os.Exit(m.Run())
}

func created() time.Time { return time.Date(2026, 3, 2, 10, 4, 5, 0, time.UTC) }

func job(pointer string, values ...string) pdfworker.Job {
	j := pdfworker.Job{Title: "Order", Subject: "S", Created: created()}
	for _, value := range values {
		j.Values = append(j.Values, json.RawMessage(value))
	}
	if pointer != "-" {
		j.Pointer = &pointer
	}
	return j
}

// TestRender checks that a child produces the same bytes as this process.
func TestRender(t *testing.T) {
	t.Parallel()
	p := pdfworker.New()
	made, err := p.Render(t.Context(), job("", `{"A":"x"}`), nil)
	require.NoError(t, err)
	r, err := pdf.NewRenderer(pdf.DefaultLimits())
	require.NoError(t, err)
	var here bytes.Buffer
	in := form.Input{Title: "Order", Subject: "S", Value: json.RawMessage(`{"A":"x"}`)}
	require.NoError(t, r.RenderInput(t.Context(), &here, in, pdf.Options{Created: created()}))
	require.Equal(t, pdfworker.Result{Name: "Order.pdf", ContentType: pdf.ContentType, Content: here.Bytes()}, *made)

	for _, several := range []pdfworker.Job{job("/L", `{"L":[{"A":1},{"A":2}]}`), job("-", `{"A":1}`, `{"A":2}`)} {
		made, err = p.Render(t.Context(), several, nil)
		require.NoError(t, err)
		require.Equal(t, pdf.ArchiveType, made.ContentType)
		archive, err := zip.NewReader(bytes.NewReader(made.Content), int64(len(made.Content)))
		require.NoError(t, err)
		require.Len(t, archive.File, 2)
	}
	require.Equal(t, "Order.zip", made.Name)
}

func TestRenderRefuses(t *testing.T) {
	t.Parallel()
	p := pdfworker.New()
	many := make([]string, 501)
	for i := range many {
		many[i] = "{}"
	}
	for name, test := range map[string]struct {
		job  pdfworker.Job
		want error
	}{
		"no form":        {job("/X", `{}`), form.ErrNoForm},
		"no value":       {job("-"), form.ErrNoForm},
		"many forms":     {job("/L", `{"L":[`+strings.Join(many, ",")+`]}`), &form.LimitError{What: "forms", Max: 500}},
		"many values":    {job("-", many...), &form.LimitError{What: "forms", Max: 500}},
		"too many pages": {job("", `{"A":"`+strings.Repeat(`line\n`, 100_000)+`"}`), &form.LimitError{What: "pages", Max: 500}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			made, err := p.Render(t.Context(), test.job, nil)
			require.Nil(t, made)
			require.Equal(t, test.want, err)
		})
	}
}

func TestRenderStops(t *testing.T) {
	t.Parallel()
	p := pdfworker.New()
	_, err := p.Render(t.Context(), job("", `{"A":`), nil)
	require.Error(t, err)
	ctx, cancel := context.WithTimeout(t.Context(), time.Millisecond)
	defer cancel()
	_, err = p.Render(ctx, job("", `{}`), nil)
	require.ErrorIs(t, err, context.DeadlineExceeded)
}

// TestImages checks that the parent opens images and reads at most the limit.
func TestImages(t *testing.T) {
	t.Parallel()
	var picture bytes.Buffer
	require.NoError(t, png.Encode(&picture, image.NewGray(image.Rect(0, 0, 30, 20))))
	opened := map[string]int64{}
	open := func(_ context.Context, file kuflowref.File) (io.ReadCloser, error) {
		opened[file.Name] = 0
		switch file.Name {
		case "a.png":
			return io.NopCloser(&picture), nil
		case "endless.png":
			return io.NopCloser(&endless{read: func(n int) { opened[file.Name] += int64(n) }}), nil
		}
		return nil, errors.New("it is gone")
	}
	var files []string
	for _, name := range []string{"a.png", "endless.png", "gone.png"} {
		files = append(files, kuflowref.File{URI: "ku:x/" + name, Type: "image/png", Size: 5, Name: name}.String())
	}
	value, err := json.Marshal(map[string]any{"A": files})
	require.NoError(t, err)
	made, err := pdfworker.New().Render(t.Context(), job("", string(value)), open)
	require.NoError(t, err)
	require.Equal(t, 1, bytes.Count(made.Content, []byte("/Subtype /Image")))
	require.Len(t, opened, 3)
	require.Less(t, opened["endless.png"], pdf.DefaultLimits().ImageBytes+1<<20)
}

type endless struct{ read func(int) }

func (e *endless) Read(p []byte) (int, error) {
	e.read(len(p))
	return len(p), nil
}

// TestAcquire checks that jobs of one principal run one at a time, independent of other principals.
func TestAcquire(t *testing.T) {
	t.Parallel()
	p := pdfworker.New()
	end, err := p.Acquire(t.Context(), "ada")
	require.NoError(t, err)
	other, err := p.Acquire(t.Context(), "bob")
	require.NoError(t, err)
	other()
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	_, err = p.Acquire(ctx, "ada")
	require.ErrorIs(t, err, context.DeadlineExceeded)

	// Of twenty others, eight wait and the rest is refused at once.
	next, refused := make(chan func(), 20), make(chan error, 20)
	for range 20 {
		go func() {
			end, err := p.Acquire(context.WithoutCancel(t.Context()), "ada")
			if err != nil {
				refused <- err
				return
			}
			next <- end
		}()
	}
	for range 12 {
		require.ErrorIs(t, <-refused, pdfworker.ErrBusy)
	}
	end()
	for range 8 {
		(<-next)()
	}
	end, err = p.Acquire(t.Context(), "ada")
	require.NoError(t, err)
	end()
}

// BenchmarkRender renders a small form in a child and, for comparison, in this process.
func BenchmarkRender(b *testing.B) {
	p := pdfworker.New()
	b.Run("child", func(b *testing.B) {
		for b.Loop() {
			_, err := p.Render(b.Context(), job("", `{"A":"x"}`), nil)
			require.NoError(b, err)
		}
	})
	r, err := pdf.NewRenderer(pdf.DefaultLimits())
	require.NoError(b, err)
	b.Run("here", func(b *testing.B) {
		in := form.Input{Title: "Order", Subject: "S", Value: json.RawMessage(`{"A":"x"}`)}
		for b.Loop() {
			require.NoError(b, r.RenderInput(b.Context(), io.Discard, in, pdf.Options{Created: created()}))
		}
	})
}
