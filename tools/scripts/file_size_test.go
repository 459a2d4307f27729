package scripts_test

import (
	"bytes"
	"testing"

	"github.com/stretchr/testify/require"
)

// maxLines is how many lines a file that is written by hand may have.
const maxLines = 400

func TestFilesAreShort(t *testing.T) {
	t.Parallel()
	handWritten(t, `\.(go|sql|sh)$`, func(path string, text []byte) {
		require.LessOrEqual(t, bytes.Count(text, []byte("\n")), maxLines, path)
	})
}
