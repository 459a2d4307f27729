package pdf_test

import (
	"bytes"
	"flag"
	"image"
	"image/draw"
	"image/png"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// TestPageAsImage compares the first page with an image. Versions of poppler smooth edges differently: a few pixels
// may differ.
func TestPageAsImage(t *testing.T) {
	t.Parallel()
	content := render(t, inspection(t), openData(pngImage(t, 160, 120)))
	name := filepath.Join(t.TempDir(), "page")
	poppler(t, content, "pdftoppm", "-r", "60", "-gray", "-png", "-f", "1", "-l", "1", "-singlefile", "PDF", name)
	drawn, err := os.ReadFile(name + ".png")
	require.NoError(t, err)
	golden := filepath.Join("testdata", "inspection-1.png")
	if *update {
		require.NoError(t, os.WriteFile(golden, drawn, 0o600))
	}
	wanted, err := os.ReadFile(golden)
	require.NoError(t, err)
	different := countDifferences(t, decodePNG(t, wanted), decodePNG(t, drawn))
	require.Less(t, different, 0.005, "share of pixels that differ")
}

func decodePNG(t *testing.T, data []byte) *image.Gray {
	t.Helper()
	decoded, err := png.Decode(bytes.NewReader(data))
	require.NoError(t, err)
	grey := image.NewGray(decoded.Bounds())
	draw.Draw(grey, grey.Bounds(), decoded, image.Point{}, draw.Src)
	return grey
}

func countDifferences(t *testing.T, a, b *image.Gray) float64 {
	t.Helper()
	require.Equal(t, a.Bounds(), b.Bounds())
	count := 0
	for i := range a.Pix {
		if d := int(a.Pix[i]) - int(b.Pix[i]); d > 60 || d < -60 {
			count++
		}
	}
	return float64(count) / float64(len(a.Pix))
}
