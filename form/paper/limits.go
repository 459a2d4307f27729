package paper

import "github.com/procession-dev/procession/form"

// Limits bound what one document may take. What exceeds them is a *form.LimitError,
// except that images which are too large, or too many, are listed like other files.
type Limits struct {
	form.Limits

	// Pages is how many pages there may be.
	Pages int
	// Images is how many images are placed.
	Images int
	// ImageBytes is how large the file of an image may be.
	ImageBytes int64
	// ImagePixels is how many pixels an image may have.
	ImagePixels int
	// ImageMemory is how many bytes decoding an image may take: 1 to 16 for each
	// pixel, as its format needs. There is one image at a time.
	ImageMemory int
}

// DefaultLimits returns limits that suit forms that people fill in.
func DefaultLimits() Limits {
	return Limits{
		Limits: form.DefaultLimits(), Pages: 500,
		Images: 50, ImageBytes: 20 << 20, ImagePixels: 25_000_000, ImageMemory: 128 << 20,
	}
}
