package pdfworker_test

import (
	"archive/zip"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/procession-dev/procession/form"
	"github.com/procession-dev/procession/form/pdf"
	"github.com/procession-dev/procession/form/pdfworker"
	"github.com/procession-dev/procession/internal/sandbox"
	"github.com/procession-dev/procession/test/kit/formtest"
)

func TestMain(m *testing.M) {
	if code, child := sandbox.Serve(os.Args, map[string]sandbox.Task{pdfworker.TaskName: pdfworker.Task}); child {
		os.Exit(code)
	}
	os.Exit(m.Run())
}

func job(pointer string, values ...string) pdfworker.Job {
	j := pdfworker.Job{Title: "Order", Subject: "S", Created: creationTime()}
	for _, value := range values {
		j.Values = append(j.Values, json.RawMessage(value))
	}
	if pointer != "-" {
		j.Pointer = &pointer
	}
	return j
}

func TestRenderSeveralForms(t *testing.T) {
	t.Parallel()
	p := formtest.RequirePool(t)
	made, err := p.Render(t.Context(), job("", `{"A":"x"}`), nil)
	require.NoError(t, err)
	require.Equal(t, "Order.pdf", made.Name)
	require.Equal(t, pdf.ContentType, made.ContentType)
	for _, several := range []pdfworker.Job{job("/L", `{"L":[{"A":"value 1"},{"A":"value 2"}]}`), job("-", `{"A":"value 1"}`, `{"A":"value 2"}`)} {
		made, err = p.Render(t.Context(), several, nil)
		require.NoError(t, err)
		require.Equal(t, pdf.ArchiveType, made.ContentType)
		archive, err := zip.NewReader(bytes.NewReader(made.Content), int64(len(made.Content)))
		require.NoError(t, err)
		require.Len(t, archive.File, 2)
		for i, file := range archive.File {
			require.True(t, strings.HasSuffix(file.Name, fmt.Sprintf("-%d.pdf", i+1)), file.Name)
			require.True(t, file.Modified.Equal(creationTime()))
			body, err := file.Open()
			require.NoError(t, err)
			content, err := io.ReadAll(body)
			require.NoError(t, err)
			require.Contains(t, textOf(t, content), fmt.Sprintf("value %d", i+1))
		}
	}
	require.Equal(t, "Order.zip", made.Name)
}

func TestRenderRefuses(t *testing.T) {
	t.Parallel()
	p := formtest.RequirePool(t)
	many := make([]string, 501)
	for i := range many {
		many[i] = "{}"
	}
	for name, test := range map[string]struct {
		job  pdfworker.Job
		want error
	}{
		"no form":     {job("/X", `{}`), form.ErrNoForm},
		"no value":    {job("-"), form.ErrNoForm},
		"many forms":  {job("/L", `{"L":[`+strings.Join(many, ",")+`]}`), &form.LimitError{What: "forms", Max: 500}},
		"many values": {job("-", many...), &form.LimitError{What: "forms", Max: 500}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			made, err := p.Render(t.Context(), test.job, nil)
			require.Nil(t, made)
			require.Equal(t, test.want, err)
		})
	}
}

// TestAcquire checks that jobs of one principal run one at a time, independent of other principals.
func TestAcquire(t *testing.T) {
	t.Parallel()
	p := formtest.RequirePool(t)
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
	next, rejections := make(chan func(), 20), make(chan error, 20)
	for range 20 {
		go func() {
			end, err := p.Acquire(context.WithoutCancel(t.Context()), "ada")
			if err != nil {
				rejections <- err
				return
			}
			next <- end
		}()
	}
	for range 12 {
		require.ErrorIs(t, <-rejections, pdfworker.ErrBusy)
	}
	end()
	for range 8 {
		(<-next)()
	}
	end, err = p.Acquire(t.Context(), "ada")
	require.NoError(t, err)
	end()
}
