package temporalserver

import (
	"bytes"
	"fmt"
	"io"
	"strings"
	"sync"
	"time"
)

// complaintLines bounds how much of the compiler's output an error shows.
const complaintLines = 40

// progress reads the output of "go build -v", one import path per compiled package, and reports the state of
// the build at intervals. It keeps other output, which contains the errors.
type progress struct {
	out     io.Writer
	began   time.Time
	stop    chan struct{}
	stopped chan struct{}

	mu         sync.Mutex
	partial    []byte
	compiled   int
	downloaded int
	kept       []string
}

func newProgress(out io.Writer, every time.Duration) *progress {
	p := &progress{out: out, began: time.Now(), stop: make(chan struct{}), stopped: make(chan struct{})}
	fmt.Fprintln(out, "temporal-server: building; the first build takes 5 to 8 minutes on two cores, later ones seconds")
	go p.reportEvery(every)
	return p
}

func (p *progress) reportEvery(every time.Duration) {
	defer close(p.stopped)
	ticker := time.NewTicker(every)
	defer ticker.Stop()
	for {
		select {
		case <-ticker.C:
			fmt.Fprintf(p.out, "temporal-server: %s\n", p.buildState())
		case <-p.stop:
			return
		}
	}
}

// finishBuild ends the reports and reports the outcome.
func (p *progress) finishBuild(err error) {
	close(p.stop)
	<-p.stopped
	outcome := "built"
	if err != nil {
		outcome = "not built"
	}
	fmt.Fprintf(p.out, "temporal-server: %s; %s\n", outcome, p.buildState())
}

func (p *progress) buildState() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return fmt.Sprintf("%s, %d modules downloaded, %d packages compiled",
		time.Since(p.began).Round(time.Second), p.downloaded, p.compiled)
}

// Write implements io.Writer for the build's output.
func (p *progress) Write(b []byte) (int, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.partial = append(p.partial, b...)
	for {
		line, rest, found := bytes.Cut(p.partial, []byte("\n"))
		if !found {
			return len(b), nil
		}
		p.readLine(string(line))
		p.partial = rest
	}
}

func (p *progress) readLine(line string) {
	switch {
	case strings.HasPrefix(line, "go: downloading "):
		p.downloaded++
	case isImportPath(line):
		p.compiled++
	case len(p.kept) < complaintLines:
		p.kept = append(p.kept, line)
	}
}

// isImportPath distinguishes a package that was compiled from a message of the
// compiler: the latter has blanks.
func isImportPath(line string) bool {
	return line != "" && !strings.ContainsAny(line, " \t:")
}

// errorLines returns the output that was not progress.
func (p *progress) errorLines() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return strings.Join(append(p.kept, string(p.partial)), "\n")
}
