package temporalserver

import (
	"bytes"
	"io"
	"sync"
)

// tailSize is how much of the server's output, in bytes, an error shows.
const tailSize = 4096

// output passes the server's lines on, announces the ready line and remembers
// the last words in case there is none.
type output struct {
	log   io.Writer
	ready chan string

	mu        sync.Mutex
	announced bool
	partial   []byte
	last      []byte
}

func newOutput(log io.Writer) *output {
	return &output{log: log, ready: make(chan string, 1)}
}

// Write implements io.Writer. A log that cannot be written to is left out:
// an error would end the server's output, and the server with it.
func (o *output) Write(b []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	_, _ = o.log.Write(b)
	if o.announced {
		return len(b), nil
	}
	o.last = append(o.last, b...)
	if len(o.last) > tailSize {
		o.last = o.last[len(o.last)-tailSize:]
	}
	o.partial = append(o.partial, b...)
	for {
		line, rest, found := bytes.Cut(o.partial, []byte("\n"))
		if !found {
			return len(b), nil
		}
		o.partial = rest
		if address, ready := parseReady(string(line)); ready {
			o.announced = true
			o.partial, o.last = nil, nil
			o.ready <- address
			return len(b), nil
		}
	}
}

func (o *output) lastLines() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return string(bytes.TrimSpace(o.last))
}
