package demo_test

import (
	"archive/zip"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/procession-dev/procession/examples/demo"
)

// The digests are published for checks of downloads, so they must not depend on
// where and when the archives are made.
func TestArchivesAreAlwaysTheSame(t *testing.T) {
	t.Parallel()
	for want, made := range map[string]func() ([]byte, error){
		"7c59db285988e617c74bda5e2bb0a3f204be393309603672f4bcfe30e1758194": demo.RobotPackage,
		"700492f02878d0e73f63f011284d4b98621014f77736b48910d522e2f5da1905": demo.RobotRuntime,
	} {
		content, err := made()
		require.NoError(t, err)
		digest := sha256.Sum256(content)
		require.Equal(t, want, hex.EncodeToString(digest[:]))
		read, err := zip.NewReader(bytes.NewReader(content), int64(len(content)))
		require.NoError(t, err)
		require.NotEmpty(t, read.File)
	}
}
