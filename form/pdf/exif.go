package pdf

import (
	"bytes"
	"encoding/binary"
	"image"
)

// readOrientation returns the Exif orientation of a JPEG image, 1 to 8, and 1 without Exif. Cameras rely on the
// viewer to rotate images; PDF viewers do not.
func readOrientation(data []byte) int {
	for at := 2; at+4 <= len(data) && data[at] == 0xff; {
		marker, length := data[at+1], int(binary.BigEndian.Uint16(data[at+2:]))
		if marker == 0xda || length < 2 || at+2+length > len(data) {
			break
		}
		if body, ok := bytes.CutPrefix(data[at+4:at+2+length], []byte("Exif\x00\x00")); ok && marker == 0xe1 {
			return exifOrientation(body)
		}
		at += 2 + length
	}
	return 1
}

// exifOrientation reads the tag in the first directory of a TIFF header.
func exifOrientation(tiff []byte) int {
	const tagOrientation, entrySize = 0x0112, 12
	if len(tiff) < 8 {
		return 1
	}
	var order binary.ByteOrder = binary.BigEndian
	if tiff[0] == 'I' {
		order = binary.LittleEndian
	}
	start := int64(order.Uint32(tiff[4:]))
	if start+2 > int64(len(tiff)) {
		return 1
	}
	entries := tiff[start+2:]
	for range order.Uint16(tiff[start:]) {
		if len(entries) < entrySize {
			break
		}
		if order.Uint16(entries) == tagOrientation {
			if value := int(order.Uint16(entries[8:])); 1 <= value && value <= 8 {
				return value
			}
			break
		}
		entries = entries[entrySize:]
	}
	return 1
}

// rotateUpright rotates an image by its orientation.
func rotateUpright(source *image.RGBA, orientation int) *image.RGBA {
	if orientation <= 1 || orientation > 8 {
		return source
	}
	w, h := source.Bounds().Dx(), source.Bounds().Dy()
	width, height := w, h
	if orientation >= 5 {
		width, height = h, w
	}
	target := image.NewRGBA(image.Rect(0, 0, width, height))
	for y := range h {
		for x := range w {
			tx, ty := x, y
			switch orientation {
			case 2:
				tx = w - 1 - x
			case 3:
				tx, ty = w-1-x, h-1-y
			case 4:
				ty = h - 1 - y
			case 5:
				tx, ty = y, x
			case 6:
				tx, ty = h-1-y, x
			case 7:
				tx, ty = h-1-y, w-1-x
			case 8:
				tx, ty = y, w-1-x
			}
			target.SetRGBA(tx, ty, source.RGBAAt(x, y))
		}
	}
	return target
}
