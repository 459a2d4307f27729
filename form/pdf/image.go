package pdf

import (
	"bytes"
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"image"
	"image/color"
	"image/draw"
	"image/jpeg"
	"image/png"
	"io"

	xdraw "golang.org/x/image/draw"

	"github.com/procession-dev/procession/domain/kuflowref"
	"github.com/procession-dev/procession/form"
)

const (
	// maxImageHeight is the maximum height of an image in points.
	maxImageHeight = 260.0
	// maxImageSide is the maximum width and height of an image in pixels, about 300 per inch at the largest size.
	maxImageSide = 1400
	jpegQuality  = 85
)

// OpenFunc opens a referenced document. If it returns an error or nil, the file is listed as not available.
type OpenFunc func(context.Context, kuflowref.File) (io.ReadCloser, error)

// A picture is an image prepared for a PDF: opaque, upright and scaled down.
type picture struct {
	name          string
	mediaType     string
	data          []byte
	width, height int
}

var errImageTooLarge = errors.New("the image is too large")

// toSVG wraps an image in an SVG document: the files of the template are texts.
func (p *picture) toSVG() []byte {
	return fmt.Appendf(nil, `<svg xmlns="http://www.w3.org/2000/svg" width="%d" height="%d">`+
		`<image width="%d" height="%d" href="data:%s;base64,%s"/></svg>`,
		p.width, p.height, p.width, p.height, p.mediaType, base64.StdEncoding.EncodeToString(p.data))
}

// fitSize returns the size of a picture in points: 96 pixels per inch, or smaller to fit.
func (p *picture) fitSize(maxWidth, maxHeight float64) (width, height float64) {
	width, height = float64(p.width)*0.75, float64(p.height)*0.75
	scale := min(1, maxWidth/width, maxHeight/height)
	return width * scale, height * scale
}

// loadPicture returns the image of a file, or nil for other files, broken images and images beyond the limits.
// missing reports that the file could not be opened. It returns only errors of the context.
func (c *composer) loadPicture(f *form.File) (p *picture, missing bool, err error) {
	if !f.IsImage() || f.Data == nil && c.open == nil || c.placed >= c.limits.Images {
		return nil, false, nil
	}
	key := "reference " + f.Reference.URI
	if f.Data != nil {
		key = "data " + string(f.Data)
	}
	p, cached := c.pictures[key]
	if !cached {
		var data []byte
		if data, missing = c.readFile(f); !missing {
			// A broken image is listed like other files.
			p, _ = newPicture(c.ctx, data, c.limits)
		}
		if err := c.ctx.Err(); err != nil {
			return nil, false, err
		}
		if p != nil {
			p.name = fmt.Sprintf("%d.svg", len(c.layout.Images))
			c.layout.Images = append(c.layout.Images, p.toSVG())
			p.data = nil
		}
		c.pictures[key] = p
	}
	if p != nil {
		c.placed++
	}
	return p, missing, nil
}

// readFile returns the content of a file.
func (c *composer) readFile(f *form.File) (data []byte, missing bool) {
	if f.Data != nil {
		return f.Data, false
	}
	body, err := c.open(c.ctx, f.Reference)
	if err != nil || body == nil {
		return nil, true
	}
	data, err = io.ReadAll(io.LimitReader(body, c.limits.ImageBytes+1))
	if closeErr := body.Close(); err != nil || closeErr != nil {
		return nil, true
	}
	return data, false
}

// newPicture decodes and prepares an image. Decoding ends with the context.
func newPicture(ctx context.Context, data []byte, limits Limits) (*picture, error) {
	if int64(len(data)) > limits.ImageBytes {
		return nil, errImageTooLarge
	}
	decode, decodeConfig := png.Decode, png.DecodeConfig
	isJPEG := bytes.HasPrefix(data, []byte{0xff, 0xd8})
	if isJPEG {
		decode, decodeConfig = jpeg.Decode, jpeg.DecodeConfig
	}
	config, err := decodeConfig(bytes.NewReader(data))
	if err != nil {
		return nil, fmt.Errorf("reading an image: %w", err)
	}
	perPixel := pngBytes(data, config.ColorModel)
	if isJPEG {
		perPixel = jpegBytes(data)
	}
	most := min(limits.ImagePixels, limits.ImageMemory/perPixel)
	if config.Width <= 0 || config.Height <= 0 || config.Width > most/config.Height {
		return nil, errImageTooLarge
	}
	source, err := decode(&contextReader{ctx: ctx, source: bytes.NewReader(data)})
	if err != nil {
		return nil, fmt.Errorf("reading an image: %w", err)
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	small := flattenImage(source)
	if isJPEG {
		small = rotateUpright(small, readOrientation(data))
	}
	p := &picture{mediaType: "image/png", width: small.Bounds().Dx(), height: small.Bounds().Dy()}
	var out bytes.Buffer
	if isJPEG {
		p.mediaType = "image/jpeg"
		err = jpeg.Encode(&out, small, &jpeg.Options{Quality: jpegQuality})
	} else {
		err = png.Encode(&out, small)
	}
	if err != nil {
		return nil, fmt.Errorf("writing an image: %w", err)
	}
	p.data = out.Bytes()
	return p, nil
}

// contextReader is a reader that ends with the context.
type contextReader struct {
	ctx    context.Context //nolint:containedctx // It lives for one image.
	source io.Reader
}

// Read reads at most 4 KiB.
func (a *contextReader) Read(p []byte) (int, error) {
	if err := a.ctx.Err(); err != nil {
		return 0, err
	}
	return a.source.Read(p[:min(len(p), 4<<10)])
}

// flattenImage scales an image down to maxImageSide on a white background.
func flattenImage(source image.Image) *image.RGBA {
	bounds := source.Bounds()
	width, height := bounds.Dx(), bounds.Dy()
	if longer := max(width, height); longer > maxImageSide {
		width = max(1, width*maxImageSide/longer)
		height = max(1, height*maxImageSide/longer)
	}
	target := image.NewRGBA(image.Rect(0, 0, width, height))
	draw.Draw(target, target.Bounds(), image.NewUniform(color.White), image.Point{}, draw.Src)
	xdraw.ApproxBiLinear.Scale(target, target.Bounds(), source, bounds, draw.Over, nil)
	return target
}
