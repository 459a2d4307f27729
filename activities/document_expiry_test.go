package activities_test

import (
	"bytes"
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"
	"go.temporal.io/sdk/log"
	"go.temporal.io/sdk/testsuite"

	"github.com/procession-dev/procession/activities"
	"github.com/procession-dev/procession/app"
	"github.com/procession-dev/procession/app/storage"
	"github.com/procession-dev/procession/blobstore"
	"github.com/procession-dev/procession/test/kit/enginetest"
	"github.com/procession-dev/procession/test/kit/pgtest"
)

func TestDocumentsAreExpiredSweptAndMissed(t *testing.T) { //nolint:funlen // one story of documents
	t.Parallel()
	db := pgtest.New(t)
	tenant := enginetest.Seed(t, db, "tenant", "loan")
	documents, err := blobstore.Open(t.Context(), "mem://")
	require.NoError(t, err)
	now := time.Now()
	service := app.New(app.Options{
		Store: storage.New(storage.Options{DB: db, Clock: func() time.Time { return now }}), Documents: documents,
	})
	var logged bytes.Buffer
	acts := activities.New(activities.Options{
		App: service, Clock: time.Now, Logger: slog.New(slog.NewTextHandler(&logged, nil)),
	})
	var suite testsuite.WorkflowTestSuite
	suite.SetLogger(log.NewStructuredLogger(enginetest.Logger()))
	env := suite.NewTestActivityEnvironment()
	acts.Register(env)
	process := tenant.Create(t, service, "loan")
	upload := func(n int) {
		for i := range n {
			_, err := service.UploadProcessDocument(t.Context(), tenant.Call, process.ID,
				storage.File{Name: "a.txt", ContentType: "text/plain", Body: strings.NewReader(fmt.Sprint(i))})
			require.NoError(t, err)
		}
	}
	stored := func() []blobstore.Blob {
		page, err := documents.List(t.Context(), "", 10_000, now.Add(time.Hour*1000))
		require.NoError(t, err)
		return page.Blobs
	}
	sweep := func() (found activities.SweepDocumentsResult) {
		value, err := env.ExecuteActivity(activities.SweepDocumentsName, activities.SweepDocumentsInput{})
		require.NoError(t, err)
		require.NoError(t, value.Get(&found))
		return found
	}

	// More than a batch.
	upload(501)
	now = now.Add(24*time.Hour - time.Minute)
	upload(2)
	now = now.Add(time.Minute)
	value, err := env.ExecuteActivity(activities.ExpireDocumentsName)
	require.NoError(t, err)
	var expired activities.ExpireDocumentsResult
	require.NoError(t, value.Get(&expired))
	require.Equal(t, 501, expired.Deleted)
	require.Len(t, stored(), 2)
	require.Equal(t, activities.SweepDocumentsResult{}, sweep())

	// There are bytes without a document, and a document without its bytes.
	for range 600 {
		_, err := documents.Put(t.Context(), blobstore.Key{Tenant: tenant.ID, Document: uuid.New()}, strings.NewReader("x"), 10)
		require.NoError(t, err)
	}
	now = now.Add(2 * time.Hour)
	require.Equal(t, 600, sweep().Removed)
	require.Len(t, stored(), 2)
	lost := stored()[0]
	require.NoError(t, documents.Delete(t.Context(), lost.Key))
	require.Equal(t, activities.SweepDocumentsResult{Lost: 1}, sweep())
	require.Contains(t, logged.String(), "document bytes are missing or truncated")
	require.NotContains(t, logged.String(), lost.Key.Document.String())
	require.Equal(t, activities.DocumentStats{Expired: 501, Swept: 600, Lost: 1}, acts.DocumentStats())
}
