package fonts_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/procession-dev/procession/form/fonts"
)

func TestChoose(t *testing.T) {
	t.Parallel()
	x, err := fonts.Scan(fonts.SystemFolders())
	if err != nil {
		t.Skip("there are no fonts: run make bootstrap-tests")
	}
	faces, missing := x.Choose([]string{"a", "\u00e4\u0301", "\u2003", "\x01", "\U0010ffff", "a\u200d"})
	require.NotEmpty(t, faces)
	require.Equal(t, []string{"\x01", "\U0010ffff"}, missing)
	again, _ := x.Choose([]string{"b"})
	require.Equal(t, faces[:1], again, "Latin letters have the same font")
}

func TestScanWithoutFonts(t *testing.T) {
	t.Parallel()
	_, err := fonts.Scan([]string{t.TempDir()})
	require.ErrorIs(t, err, fonts.ErrNone)
	_, err = fonts.Scan([]string{"/nowhere"})
	require.ErrorContains(t, err, "reading the fonts")
}
