package press

import (
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
)

// What parent and child send each other: a letter, a length and so many bytes.
const (
	// To the child: the job; a part of the image that it asked for, its end, or that
	// there is none.
	frameJob    = 'J'
	framePart   = 'P'
	frameEnd    = 'E'
	frameAbsent = 'A'
	// To the parent: an image that is needed, a sheet of paper, and how it ended.
	frameOpen  = 'O'
	frameSheet = 'S'
	frameDone  = 'D'
)

const (
	// maxFrame bounds a frame to the parent, and parts of images, in bytes.
	maxFrame = 1 << 20
	// maxJob bounds a job, in bytes.
	maxJob = 64 << 20
)

var errFrame = errors.New("what the other side sent is not understood")

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

// readFrame reads a frame of at most so many bytes. Where the other side ends
// instead it returns io.ErrUnexpectedEOF.
func readFrame(r io.Reader, most int) (kind byte, payload []byte, err error) {
	var head [5]byte
	if _, err := io.ReadFull(r, head[:]); err != nil {
		if errors.Is(err, io.EOF) {
			err = io.ErrUnexpectedEOF
		}
		return 0, nil, err
	}
	length := int64(binary.BigEndian.Uint32(head[1:]))
	if length > int64(most) {
		return 0, nil, errFrame
	}
	payload = make([]byte, length)
	_, err = io.ReadFull(r, payload)
	if errors.Is(err, io.EOF) {
		err = io.ErrUnexpectedEOF
	}
	return head[0], payload, err
}
