package press_test

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
	"github.com/procession-dev/procession/form/paper"
	"github.com/procession-dev/procession/form/press"
	"github.com/procession-dev/procession/internal/sandbox"
)

func TestMain(m *testing.M) {
	if code, child := sandbox.Serve(os.Args, map[string]sandbox.Task{press.TaskName: press.Task}); child {
		os.Exit(code)
	}
	os.Exit(m.Run())
}

func created() time.Time { return time.Date(2026, 3, 2, 10, 4, 5, 0, time.UTC) }

func job(pointer string, values ...string) press.Job {
	j := press.Job{Title: "Order", Subject: "S", Created: created()}
	for _, value := range values {
		j.Values = append(j.Values, json.RawMessage(value))
	}
	if pointer != "-" {
		j.Pointer = &pointer
	}
	return j
}

// A child makes the same of a form as this process does.
func TestPrint(t *testing.T) {
	t.Parallel()
	p := press.New()
	made, err := p.Print(t.Context(), job("", `{"A":"x"}`), nil)
	require.NoError(t, err)
	r, err := paper.NewRenderer(paper.DefaultLimits())
	require.NoError(t, err)
	var here bytes.Buffer
	in := form.Input{Title: "Order", Subject: "S", Value: json.RawMessage(`{"A":"x"}`)}
	require.NoError(t, r.RenderInput(t.Context(), &here, in, paper.Options{Created: created()}))
	require.Equal(t, press.Paper{Name: "Order.pdf", ContentType: paper.ContentType, Content: here.Bytes()}, *made)

	for _, several := range []press.Job{job("/L", `{"L":[{"A":1},{"A":2}]}`), job("-", `{"A":1}`, `{"A":2}`)} {
		made, err = p.Print(t.Context(), several, nil)
		require.NoError(t, err)
		require.Equal(t, paper.ArchiveType, made.ContentType)
		archive, err := zip.NewReader(bytes.NewReader(made.Content), int64(len(made.Content)))
		require.NoError(t, err)
		require.Len(t, archive.File, 2)
	}
	require.Equal(t, "Order.zip", made.Name)
}

func TestPrintRefuses(t *testing.T) {
	t.Parallel()
	p := press.New()
	many := make([]string, 501)
	for i := range many {
		many[i] = "{}"
	}
	for name, test := range map[string]struct {
		job  press.Job
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
			made, err := p.Print(t.Context(), test.job, nil)
			require.Nil(t, made)
			require.Equal(t, test.want, err)
		})
	}
}

func TestPrintStops(t *testing.T) {
	t.Parallel()
	p := press.New()
	_, err := p.Print(t.Context(), job("", `{"A":`), nil)
	require.Error(t, err)
	ctx, cancel := context.WithTimeout(t.Context(), time.Millisecond)
	defer cancel()
	_, err = p.Print(ctx, job("", `{}`), nil)
	require.ErrorIs(t, err, context.DeadlineExceeded)
}

// Images are opened here, and no more of them is read than a form may show.
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
	made, err := press.New().Print(t.Context(), job("", string(value)), open)
	require.NoError(t, err)
	require.Equal(t, 1, bytes.Count(made.Content, []byte("/Subtype /Image")))
	require.Len(t, opened, 3)
	require.Less(t, opened["endless.png"], paper.DefaultLimits().ImageBytes+1<<20)
}

type endless struct{ read func(int) }

func (e *endless) Read(p []byte) (int, error) {
	e.read(len(p))
	return len(p), nil
}

// A principal has one turn at a time, and others do not wait for it.
func TestTurn(t *testing.T) {
	t.Parallel()
	p := press.New()
	end, err := p.Turn(t.Context(), "ada")
	require.NoError(t, err)
	other, err := p.Turn(t.Context(), "bob")
	require.NoError(t, err)
	other()
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	_, err = p.Turn(ctx, "ada")
	require.ErrorIs(t, err, context.DeadlineExceeded)

	// Of twenty others eight wait, and the rest is refused at once.
	next, refused := make(chan func(), 20), make(chan error, 20)
	for range 20 {
		go func() {
			end, err := p.Turn(context.WithoutCancel(t.Context()), "ada")
			if err != nil {
				refused <- err
				return
			}
			next <- end
		}()
	}
	for range 12 {
		require.ErrorIs(t, <-refused, press.ErrBusy)
	}
	end()
	for range 8 {
		(<-next)()
	}
	end, err = p.Turn(t.Context(), "ada")
	require.NoError(t, err)
	end()
}

// BenchmarkPrint is a small form in a child and, to compare, in this process.
func BenchmarkPrint(b *testing.B) {
	p := press.New()
	b.Run("child", func(b *testing.B) {
		for b.Loop() {
			_, err := p.Print(b.Context(), job("", `{"A":"x"}`), nil)
			require.NoError(b, err)
		}
	})
	r, err := paper.NewRenderer(paper.DefaultLimits())
	require.NoError(b, err)
	b.Run("here", func(b *testing.B) {
		in := form.Input{Title: "Order", Subject: "S", Value: json.RawMessage(`{"A":"x"}`)}
		for b.Loop() {
			require.NoError(b, r.RenderInput(b.Context(), io.Discard, in, paper.Options{Created: created()}))
		}
	})
}
