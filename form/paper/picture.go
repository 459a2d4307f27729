package paper

import (
	"bytes"
	"context"
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
	// maxImageHeight is how high an image may be on paper, in points.
	maxImageHeight = 260.0
	// maxImageSide is the maximum number of pixels of a side of an image: about
	// 300 per inch at the largest size.
	maxImageSide = 1400
	jpegQuality  = 85
)

// OpenFunc opens a document that a value refers to. When it returns an error or
// nil, the file is listed as not available.
type OpenFunc func(context.Context, kuflowref.File) (io.ReadCloser, error)

// A picture is an image as it goes into a PDF: opaque, upright, not larger than
// it is of use.
type picture struct {
	name          string
	format        string
	data          []byte
	width, height int
}

var errImage = errors.New("the image is too large")

// fit returns how large a picture is on paper, in points: 96 pixels to the inch unless
// that is too large.
func (p *picture) fit(maxWidth, maxHeight float64) (width, height float64) {
	width, height = float64(p.width)*0.75, float64(p.height)*0.75
	scale := min(1, maxWidth/width, maxHeight/height)
	return width * scale, height * scale
}

// picture reads the image that a file is. It returns none for other files, for
// what is no image after all, and for what is too large; missing is whether the
// file could not be opened. Only the end of the context is an error.
func (c *composer) picture(f *form.File) (p *picture, missing bool, err error) {
	if !f.IsImage() || f.Data == nil && c.open == nil || c.placed >= c.limits.Images {
		return nil, false, nil
	}
	key := "reference " + f.Reference.URI
	if f.Data != nil {
		key = "data " + string(f.Data)
	}
	p, known := c.pictures[key]
	if !known {
		var data []byte
		if data, missing = c.read(f); !missing {
			// A broken image is listed, as any file is.
			p, _ = newPicture(c.ctx, data, c.limits)
		}
		if err := c.ctx.Err(); err != nil {
			return nil, false, err
		}
		if p != nil {
			p.name = fmt.Sprintf("image%d", len(c.pictures))
		}
		c.pictures[key] = p
	}
	if p != nil {
		c.placed++
	}
	return p, missing, nil
}

// read returns the bytes of a file, nil when there are too many.
func (c *composer) read(f *form.File) (data []byte, missing bool) {
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

// newPicture decodes an image and makes it fit for paper. Decoding ends with the
// context.
func newPicture(ctx context.Context, data []byte, limits Limits) (*picture, error) {
	if int64(len(data)) > limits.ImageBytes {
		return nil, errImage
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
		return nil, errImage
	}
	source, err := decode(&attentive{ctx: ctx, source: bytes.NewReader(data)})
	if err != nil {
		return nil, fmt.Errorf("reading an image: %w", err)
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	small := flatten(source)
	if isJPEG {
		small = upright(small, orientation(data))
	}
	p := &picture{format: "PNG", width: small.Bounds().Dx(), height: small.Bounds().Dy()}
	var out bytes.Buffer
	if isJPEG {
		p.format = "JPG"
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

// attentive is a reader that ends with the context.
type attentive struct {
	ctx    context.Context //nolint:containedctx // It lives for one image.
	source io.Reader
}

// Read reads a part at a time.
func (a *attentive) Read(p []byte) (int, error) {
	if err := a.ctx.Err(); err != nil {
		return 0, err
	}
	return a.source.Read(p[:min(len(p), 4<<10)])
}

// flatten puts an image on white, scaled down to what is of use.
func flatten(source image.Image) *image.RGBA {
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
