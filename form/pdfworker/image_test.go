package pdfworker_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"image"
	"image/color"
	"image/jpeg"
	"image/png"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/procession-dev/procession/domain/kuflowref"
	"github.com/procession-dev/procession/form/pdf"
)

func fileValue(name, mediaType string) string {
	return kuflowref.File{URI: "ku:x/" + name, Type: mediaType, Size: 5, Name: name}.String()
}

// images lists width, height and encoding of the images of a PDF, as reported by pdfimages.
func images(t *testing.T, content []byte) []string {
	t.Helper()
	var found []string
	lines := strings.Split(strings.TrimSpace(runPoppler(t, content, "pdfimages", "-list", "PDF")), "\n")
	for _, line := range lines[min(2, len(lines)):] {
		fields := strings.Fields(line)
		found = append(found, fields[3]+"x"+fields[4]+" "+fields[8])
	}
	return found
}

func TestImagesAreRendered(t *testing.T) {
	t.Parallel()
	opened := map[string]int{}
	open := func(_ context.Context, file kuflowref.File) (io.ReadCloser, error) {
		opened[file.Name]++
		switch file.Name {
		case "a.png", "again.png":
			return io.NopCloser(bytes.NewReader(pngImage(t, 90, 60))), nil
		case "b.jpg":
			return io.NopCloser(bytes.NewReader(jpegImage(t, 3000, 1000))), nil
		case "broken.png":
			return io.NopCloser(strings.NewReader("no image")), nil
		case "cut.png":
			return io.NopCloser(bytes.NewReader(pngImage(t, 90, 60)[:100])), nil
		case "huge.png":
			return io.NopCloser(io.LimitReader(endless{}, 1<<40)), nil
		case "large.png":
			return io.NopCloser(bytes.NewReader(bomb(t))), nil
		case "none.png":
			return nil, nil
		}
		return nil, errors.New("it is gone")
	}
	value := map[string]any{
		"one":  []string{fileValue("a.png", "image/png"), fileValue("a.png", "image/png"), fileValue("b.jpg", "image/jpeg; q=1")},
		"bad":  []string{fileValue("broken.png", "image/png"), fileValue("cut.png", "image/png"), fileValue("huge.png", "image/png"), fileValue("large.png", "image/png")},
		"gone": []string{fileValue("gone.jpg", "image/jpeg"), fileValue("none.png", "image/png"), fileValue("x.svg", "image/svg+xml")},
		"rows": []any{map[string]any{"photo": fileValue("again.png", "image/png")}},
	}
	content := render(t, valueJob(t, value), open)
	require.Equal(t, []string{"90x60 image", "90x60 image", "1400x466 jpeg", "90x60 image"}, images(t, content))
	text := textOf(t, content)
	for _, name := range []string{"broken.png", "cut.png", "huge.png", "large.png", "x.svg"} {
		require.Contains(t, text, name)
	}
	require.Equal(t, 2, strings.Count(text, "– not available"))
	require.Equal(t, 1, opened["a.png"], "one document is opened once")
	require.Zero(t, opened["x.svg"])
}

type endless struct{}

func (endless) Read(p []byte) (int, error) { return len(p), nil }

// bomb returns a small PNG with a header that declares very many pixels.
func bomb(t *testing.T) []byte {
	t.Helper()
	data := pngImage(t, 10, 10)
	binary.BigEndian.PutUint32(data[16:], 60_000)
	binary.BigEndian.PutUint32(data[20:], 60_000)
	return data
}

// TestDataURL renders an image of a data URL.
func TestDataURL(t *testing.T) {
	t.Parallel()
	const dot = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
	content := render(t, valueJob(t, map[string]any{"signature": "data:image/png;base64," + dot, "not": "data:image/png;base64,%%"}), nil)
	require.Equal(t, []string{"1x1 image"}, images(t, content))
	text := textOf(t, content)
	require.Contains(t, text, "Unnamed file (image/png, 70 bytes)")
	require.NotContains(t, text, dot[:20])
	require.Contains(t, text, "data:image/png;base64,%%")
}

// TestOrientation checks the rotation by Exif orientation.
func TestOrientation(t *testing.T) {
	t.Parallel()
	for orientation, size := range map[uint16]string{1: "80x40", 3: "80x40", 6: "40x80", 8: "40x80", 9: "80x40"} {
		for _, order := range []binary.AppendByteOrder{binary.BigEndian, binary.LittleEndian} {
			content := render(t, valueJob(t, map[string]any{"a": fileValue("a.jpg", "image/jpeg")}), openData(exif(t, orientation, order)))
			require.Equal(t, []string{size + " jpeg"}, images(t, content))
		}
	}
}

// exif returns an image of 80 by 40 pixels with an orientation.
func exif(t *testing.T, orientation uint16, order binary.AppendByteOrder) []byte {
	t.Helper()
	mark := "MM"
	if order == binary.AppendByteOrder(binary.LittleEndian) {
		mark = "II"
	}
	tiff := order.AppendUint16([]byte(mark), 42)
	tiff = order.AppendUint32(tiff, 8)
	tiff = order.AppendUint16(tiff, 2)
	for _, entry := range [][2]uint16{{0x010f, 7}, {0x0112, orientation}} {
		tiff = order.AppendUint16(tiff, entry[0])
		tiff = order.AppendUint16(tiff, 3)
		tiff = order.AppendUint32(tiff, 1)
		tiff = order.AppendUint16(tiff, entry[1])
		tiff = order.AppendUint16(tiff, 0)
	}
	body := append([]byte("Exif\x00\x00"), tiff...)
	segment := binary.BigEndian.AppendUint16([]byte{0xff, 0xe1}, uint16(len(body)+2))
	data := jpegImage(t, 80, 40)
	return append(append(append(append([]byte{}, data[:2]...), segment...), body...), data[2:]...)
}

// progressive returns a grey JPEG that forces its decoder to keep the coefficients of the whole image. Its scans contain no
// changes.
func progressive(side int) []byte {
	out := []byte{0xff, 0xd8, 0xff, 0xdb, 0, 67, 0}
	out = append(out, bytes.Repeat([]byte{1}, 64)...)
	high, low := byte(side>>8), byte(side)
	out = append(out, 0xff, 0xc2, 0, 17, 8, high, low, high, low, 3, 1, 0x11, 0, 2, 0x11, 0, 3, 0x11, 0)
	out = append(out, 0xff, 0xc4, 0, 20, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)
	out = append(out, 0xff, 0xda, 0, 12, 3, 1, 0, 2, 0, 3, 0, 0, 0, 0)
	blocks := (side + 7) / 8
	out = append(out, make([]byte, blocks*blocks*3/8+1)...)
	return append(out, 0xff, 0xd9)
}

// TestImageMemoryLimit checks the limit of memory, which depends on the format.
func TestImageMemoryLimit(t *testing.T) {
	t.Parallel()
	photo := progressive(5000)
	require.Less(t, len(photo), 150_000)
	in := valueJob(t, map[string]any{"a": fileValue("photo.jpg", "image/jpeg")})
	begun := time.Now()
	content := render(t, in, openData(photo))
	require.Less(t, time.Since(begun), 10*time.Second)
	require.Empty(t, images(t, content))
	require.Contains(t, textOf(t, content), "photo.jpg")
	require.Len(t, images(t, render(t, in, openData(progressive(2000)))), 1, "one that people have")
}

// chart returns an image with a different colour in each corner.
func chart(width, height int) *image.RGBA {
	m := image.NewRGBA(image.Rect(0, 0, width, height))
	for y := range height {
		for x := range width {
			c := color.RGBA{R: 200, A: 255}
			switch {
			case x >= width/2 && y < height/2:
				c = color.RGBA{G: 160, A: 255}
			case x < width/2 && y >= height/2:
				c = color.RGBA{B: 220, A: 255}
			case x >= width/2:
				c = color.RGBA{R: 230, G: 200, A: 90}
			}
			m.Set(x, y, c)
		}
	}
	return m
}

func pngImage(tb testing.TB, width, height int) []byte {
	tb.Helper()
	var out bytes.Buffer
	require.NoError(tb, png.Encode(&out, chart(width, height)))
	return out.Bytes()
}

func jpegImage(tb testing.TB, width, height int) []byte {
	tb.Helper()
	var out bytes.Buffer
	require.NoError(tb, jpeg.Encode(&out, chart(width, height), nil))
	return out.Bytes()
}

// openData returns an OpenFunc with the same bytes for every document.
func openData(data []byte) pdf.OpenFunc {
	return func(context.Context, kuflowref.File) (io.ReadCloser, error) {
		return io.NopCloser(bytes.NewReader(data)), nil
	}
}
