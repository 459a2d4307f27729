// Package formtest finds the typesetter of forms for tests.
package formtest

import (
	"context"
	"sync"
	"testing"

	"github.com/procession-dev/procession/form/pdfworker"
)

//nolint:gochecknoglobals // It is found once and never changed.
var find = sync.OnceValues(func() (*pdfworker.Typesetter, error) {
	return pdfworker.FindTypesetter(context.Background(), "", nil)
})

// Pool returns a renderer of forms. Without a typesetter it logs the way to install one and returns nil.
func Pool(tb testing.TB) *pdfworker.Pool {
	tb.Helper()
	t, err := find()
	if err != nil {
		tb.Logf("forms are not rendered (%v): run make bootstrap-tests", err)
		return nil
	}
	return pdfworker.New(t, nil)
}

// RequirePool returns a renderer of forms. Without a typesetter it skips the test.
func RequirePool(tb testing.TB) *pdfworker.Pool {
	tb.Helper()
	p := Pool(tb)
	if p == nil {
		tb.Skip("there is no typesetter: run make bootstrap-tests")
	}
	return p
}
