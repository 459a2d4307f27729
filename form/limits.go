package form

import "fmt"

// Limits bound what one document may take. What exceeds them is a *LimitError,
// except that data nested too deeply is shown as JSON and that images which are
// too large, or too many, are listed like other files.
type Limits struct {
	// Depth is how many objects and arrays may be within each other.
	Depth int
	// Fields is how many fields there may be, the cells of tables included.
	Fields int
	// Rows is how many elements an array may have.
	Rows int
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

// DefaultLimits are meant for what people fill in.
func DefaultLimits() Limits {
	return Limits{
		Depth: 16, Fields: 50_000, Rows: 5_000, Pages: 500,
		Images: 50, ImageBytes: 20 << 20, ImagePixels: 25_000_000, ImageMemory: 128 << 20,
	}
}

// LimitError is returned for a value that is too large to render.
type LimitError struct {
	// What is the plural of what there is too much of, such as "pages".
	What string
	Max  int
}

// Error names the limit.
func (e *LimitError) Error() string {
	return fmt.Sprintf("the form has more than %d %s", e.Max, e.What)
}
