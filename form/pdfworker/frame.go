package pdfworker

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
)

// Frames between parent and child consist of a kind, a length and a payload.
const (
	// To the child: the job; the missing clusters; a part of the requested image, its end, or that it is absent.
	frameJob     = 'J'
	frameMissing = 'M'
	framePart    = 'P'
	frameEnd     = 'E'
	frameAbsent  = 'A'
	// To the parent: the clusters of a form, a request for an image, a prepared image, a layout, and the outcome.
	frameClusters = 'C'
	frameOpen     = 'O'
	frameImage    = 'I'
	frameSheet    = 'S'
	frameDone     = 'D'
)

const (
	// maxFrame is the maximum size of a part of an image in bytes.
	maxFrame = 1 << 20
	// maxJob is the maximum size of a job in bytes.
	maxJob = 64 << 20
)

var errFrame = errors.New("a frame is malformed")

func writeFrame(w io.Writer, kind byte, payload []byte) error {
	head := [5]byte{kind}
	binary.BigEndian.PutUint32(head[1:], uint32(len(payload))) //nolint:gosec // Payloads are far smaller.
	if _, err := w.Write(head[:]); err != nil {
		return err
	}
	_, err := w.Write(payload)
	return err
}

func writeJSON(w io.Writer, kind byte, value any) error {
	payload, err := json.Marshal(value)
	if err != nil {
		return fmt.Errorf("writing a frame: %w", err)
	}
	return writeFrame(w, kind, payload)
}

// readFrame reads a frame with a payload of at most maxPayload bytes. At the end of the stream it returns
// io.ErrUnexpectedEOF.
func readFrame(r io.Reader, maxPayload int) (kind byte, payload []byte, err error) {
	var head [5]byte
	if _, err := io.ReadFull(r, head[:]); err != nil {
		if errors.Is(err, io.EOF) {
			err = io.ErrUnexpectedEOF
		}
		return 0, nil, err
	}
	length := int64(binary.BigEndian.Uint32(head[1:]))
	if length > int64(maxPayload) {
		return 0, nil, errFrame
	}
	// The memory grows with the bytes that arrive.
	var body bytes.Buffer
	if n, err := io.CopyN(&body, r, length); n < length {
		if errors.Is(err, io.EOF) {
			err = io.ErrUnexpectedEOF
		}
		return 0, nil, err
	}
	return head[0], body.Bytes(), nil
}
