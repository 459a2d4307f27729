package httpio_test

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/gin-gonic/gin"
	"github.com/stretchr/testify/require"

	"github.com/procession-dev/procession/api/httpio"
	"github.com/procession-dev/procession/domain"
)

// An error before the first byte is answered. A later one ends the connection, so that no client keeps a part of a file.
func TestAttachmentThatFails(t *testing.T) {
	t.Parallel()
	get := func(write func(io.Writer) error) (status int, header http.Header, err error) {
		errorWriter := httpio.NewErrorWriter(slog.New(slog.DiscardHandler), time.Now)
		engine := gin.New()
		engine.GET("/", func(c *gin.Context) {
			file := httpio.Attachment{
				ContentType: "application/zip", Disposition: "attachment", Vary: "Accept-Language",
				Write: func(_ context.Context, w io.Writer) error { return write(w) },
			}
			if err := file.Serve(c.Request.Context(), c.Writer); err != nil {
				errorWriter.Write(c, err)
			}
		})
		server := httptest.NewServer(engine)
		t.Cleanup(server.Close)
		request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, server.URL, nil)
		require.NoError(t, err)
		answer, err := server.Client().Do(request)
		require.NoError(t, err)
		defer func() { _ = answer.Body.Close() }()
		_, err = io.ReadAll(answer.Body)
		return answer.StatusCode, answer.Header, err
	}
	status, header, err := get(func(w io.Writer) error {
		_, err := io.WriteString(w, "whole")
		return err
	})
	require.NoError(t, err)
	require.Equal(t, http.StatusOK, status)
	require.Equal(t, "application/zip", header.Get("Content-Type"))
	require.Equal(t, "no-store", header.Get("Cache-Control"))

	status, header, err = get(func(io.Writer) error { return domain.Conflict(domain.CodeInvalidState, "too many items") })
	require.NoError(t, err)
	require.Equal(t, http.StatusConflict, status)
	require.Empty(t, header.Get("Content-Disposition"))

	_, _, err = get(func(w io.Writer) error {
		_, err := io.WriteString(w, strings.Repeat("part", 16<<10))
		return errors.Join(err, errors.New("the storage is gone"))
	})
	require.ErrorIs(t, err, io.ErrUnexpectedEOF)
}
