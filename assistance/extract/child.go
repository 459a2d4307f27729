package extract

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"unicode/utf8"

	"github.com/procession-dev/procession/internal/sandbox"
)

// TaskName is the name of Task in package sandbox.
const TaskName = "text"

const (
	// maxHeader limits the headers between parent and child, in bytes.
	maxHeader = 64 << 10
	// maxCause is the maximum length of the cause of a failure that a child
	// reports, in bytes.
	maxCause = 200
)

// request is the header before the document.
type request struct {
	Name, MediaType string
	Limits          Limits
}

// reply is the header before the text.
type reply struct {
	Reason    Reason
	Cause     string
	Truncated bool
}

// Task reads a request and a document from in, and writes a reply and the text of the document.
func Task(ctx context.Context, in io.Reader, out io.Writer) error {
	var job request
	body := bufio.NewReaderSize(in, maxHeader)
	if err := readHeader(body, &job); err != nil {
		return err
	}
	text, err := readHere(ctx, job.Name, job.MediaType, body, job.Limits)
	answer := reply{Truncated: text.Truncated}
	var fault *Error
	switch {
	case errors.As(err, &fault):
		answer.Reason = fault.Reason
		if fault.Cause != nil {
			cause := []rune(fault.Cause.Error())
			answer.Cause = string(cause[:min(len(cause), maxCause/utf8.UTFMax)])
		}
	case err != nil:
		return err
	}
	if err := writeHeader(out, answer); err != nil {
		return err
	}
	_, err = io.WriteString(out, text.Body)
	return err
}

func writeHeader(w io.Writer, value any) error {
	line, err := json.Marshal(value)
	if err != nil {
		return fmt.Errorf("writing a header: %w", err)
	}
	_, err = w.Write(append(line, '\n'))
	return err
}

// readHeader reads a line of at most the buffer size of r.
func readHeader(r *bufio.Reader, value any) error {
	line, err := r.ReadSlice('\n')
	if errors.Is(err, io.EOF) {
		return io.ErrUnexpectedEOF
	}
	if err != nil {
		return fmt.Errorf("reading a header: %w", err)
	}
	if err := json.Unmarshal(line, value); err != nil {
		return fmt.Errorf("reading a header: %w", err)
	}
	return nil
}

// readInChild extracts the text of a document in a child of this program.
func (r *Reader) readInChild(ctx context.Context, d Document, body *source) (Text, error) {
	var answer reply
	var text []byte
	limits := sandbox.Limits{
		Memory: memory, CPU: r.limits.Time, Time: r.limits.Time, Output: int64(r.limits.Text)*utf8.UTFMax + maxHeader,
	}
	err := r.pool.Run(ctx, sandbox.Job{
		Task: TaskName, Limits: limits,
		Talk: func(in io.WriteCloser, out io.Reader) error {
			return body.sendWhile(in, func() error {
				if err := writeHeader(in, request{Name: d.Name, MediaType: d.MediaType, Limits: r.limits}); err != nil {
					return err
				}
				return nil
			}, func() error {
				answered := bufio.NewReaderSize(out, maxHeader)
				if err := readHeader(answered, &answer); err != nil {
					return err
				}
				var err error
				text, err = io.ReadAll(answered)
				return err
			})
		},
	})
	switch {
	case err != nil:
		return Text{}, err
	case answer.Reason != "":
		return Text{}, &Error{Document: d.Name, Reason: answer.Reason, Cause: errors.New(answer.Cause)}
	}
	return Text{Body: string(text), Truncated: answer.Truncated}, nil
}
