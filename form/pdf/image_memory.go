package pdf

import (
	"bytes"
	"encoding/binary"
	"image/color"
)

const (
	// progressiveBytes is the memory per pixel of a progressive JPEG, which keeps the coefficients of the whole
	// image. For other JPEGs it is baselineBytes with up to three channels, and cmykBytes with four.
	progressiveBytes = 16
	baselineBytes    = 5
	cmykBytes        = 8
	// channelsAt is the offset of the number of channels in a frame of a JPEG.
	channelsAt = 9
	// interlacedAt is the offset of the interlace method in a PNG.
	interlacedAt = 28
)

// jpegBytes returns the memory per pixel of a JPEG in bytes.
func jpegBytes(data []byte) int {
	for at := 2; at+4 <= len(data); {
		if data[at] != 0xff {
			break
		}
		switch marker := data[at+1]; {
		case marker == 0xff: // Filling.
			at++
			continue
		case marker == 0xc0, marker == 0xc1: // Start of a frame: baseline.
			if at+channelsAt < len(data) && data[at+channelsAt] > 3 {
				return cmykBytes
			}
			return baselineBytes
		case marker == 0xc2, marker == 0xda: // Progressive, or a scan without a frame.
			return progressiveBytes
		case marker >= 0xd0 && marker <= 0xd9:
			at += 2
			continue
		}
		at += 2 + int(binary.BigEndian.Uint16(data[at+2:]))
	}
	return progressiveBytes
}

// pngBytes returns the memory per pixel of a PNG in bytes. An interlaced PNG needs half as much again.
func pngBytes(data []byte, model color.Model) int {
	size := 4
	switch model {
	case color.GrayModel:
		size = 1
	case color.Gray16Model:
		size = 2
	case color.RGBA64Model, color.NRGBA64Model:
		size = 8
	}
	if _, ok := model.(color.Palette); ok {
		size = 1
	}
	if len(data) > interlacedAt && bytes.HasPrefix(data, []byte("\x89PNG")) && data[interlacedAt] != 0 {
		size += (size + 1) / 2
	}
	return size
}
