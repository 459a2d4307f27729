package pdf

import "github.com/procession-dev/procession/form"

// Limits limit a document. Exceeding them is a *form.LimitError, except that images beyond the limits are listed like
// other files.
type Limits struct {
	form.Limits

	// Pages is the maximum number of pages.
	Pages int
	// Lines is the maximum number of lines, estimated from the lengths of texts.
	Lines int
	// Images is the maximum number of images.
	Images int
	// ImageBytes is the maximum size of an image file.
	ImageBytes int64
	// ImagePixels is the maximum number of pixels of an image.
	ImagePixels int
	// ImageMemory is the maximum memory for decoding an image in bytes: 1 to 16 for each pixel, by format. Images are
	// decoded one at a time.
	ImageMemory int
}

// DefaultLimits returns limits for forms that people fill in.
func DefaultLimits() Limits {
	return Limits{
		Limits: form.DefaultLimits(), Pages: 500, Lines: 60_000,
		Images: 50, ImageBytes: 20 << 20, ImagePixels: 25_000_000, ImageMemory: 128 << 20,
	}
}
