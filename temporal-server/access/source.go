package access

import (
	"context"
	"crypto/tls"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"go.temporal.io/server/common/metrics"

	"github.com/procession-dev/procession/temporal-server/internal/tlspolicy"
)

const (
	// firstRetry is the time between two reads of a document until the first one succeeds. The service that publishes it may start
	// after this server.
	firstRetry = 250 * time.Millisecond

	// requestedRetry is the minimum time between two reads that callers request.
	requestedRetry = time.Second

	readTimeout = 5 * time.Second

	metricDocumentAge      = "procession_document_age_seconds"
	metricDocumentFailures = "procession_document_read_failures"
	tagDocument            = "document"
)

// source reads a document of another service periodically. The last document remains in force when a read fails.
type source struct {
	name     string // in logs and metrics
	title    string // in messages for callers
	url      string
	interval time.Duration
	maxBytes int64
	maxAge   time.Duration              // maximum age of a document
	accept   func(content []byte) error // applies a document, or returns an error
	logger   *slog.Logger
	metrics  metrics.Handler
	clock    func() time.Time

	requests chan struct{}
	stop     context.CancelFunc
	reading  sync.WaitGroup
	began    time.Time
	read     atomic.Pointer[time.Time] // time of the last successful read
	alarmed  bool                      // the excessive age has been logged
}

// isTrusted reports whether the document was read within the maximum age.
func (s *source) isTrusted() bool {
	read := s.read.Load()
	return read != nil && s.clock().Sub(*read) <= s.maxAge
}

// startReading reads the document once and then every interval until close.
func (s *source) startReading(ctx context.Context) {
	background, stop := context.WithCancel(context.WithoutCancel(ctx))
	s.stop = stop
	s.requests = make(chan struct{}, 1)
	s.metrics = s.metrics.WithTags(metrics.StringTag(tagDocument, s.name))
	s.began = s.clock()
	err := s.refresh(ctx)
	if err != nil {
		s.logger.WarnContext(ctx, "published document unavailable", slog.String("document", s.name), slog.String("error", err.Error()))
	}
	s.reading.Go(func() { s.readPeriodically(background, err == nil) })
}

// close stops reading.
func (s *source) close() {
	s.stop()
	s.reading.Wait()
}

// requestRead requests an early read.
func (s *source) requestRead() {
	select {
	case s.requests <- struct{}{}:
	default: // a read is already due
	}
}

func (s *source) readPeriodically(ctx context.Context, loaded bool) {
	due := time.NewTimer(s.nextWait(loaded))
	defer due.Stop()
	early := time.NewTicker(requestedRetry)
	defer early.Stop()
	failing := !loaded
	for {
		select {
		case <-ctx.Done():
			return
		case <-due.C:
		case <-early.C:
			select {
			case <-s.requests:
			default:
				continue
			}
		}
		err := s.refresh(ctx)
		if ctx.Err() != nil {
			return
		}
		// The first failure and the first success after failures are logged.
		if failing != (err != nil) {
			failing = err != nil
			if failing {
				s.logger.WarnContext(ctx, "reading a published document failed, keeping the previous one",
					slog.String("document", s.name), slog.String("error", err.Error()))
			} else {
				s.logger.InfoContext(ctx, "published document available", slog.String("document", s.name))
			}
		}
		loaded = loaded || err == nil
		due.Reset(s.nextWait(loaded))
	}
}

func (s *source) nextWait(loaded bool) time.Duration {
	if loaded {
		return s.interval
	}
	return min(s.interval, firstRetry)
}

// refresh reads the document and reports its age.
func (s *source) refresh(ctx context.Context) error {
	content, err := s.download(ctx)
	if err == nil {
		err = s.accept(content)
	}
	now := s.clock()
	if err == nil {
		s.read.Store(&now)
	} else {
		s.metrics.Counter(metricDocumentFailures).Record(1)
	}
	s.reportAge(ctx, now)
	if err != nil {
		return fmt.Errorf("reading %s: %w", s.url, err)
	}
	return nil
}

// reportAge records the age of the document, and logs once when it exceeds the maximum.
func (s *source) reportAge(ctx context.Context, now time.Time) {
	since := s.began
	if read := s.read.Load(); read != nil {
		since = *read
	}
	age := now.Sub(since)
	s.metrics.Gauge(metricDocumentAge).Record(age.Seconds())
	if tooOld := age > s.maxAge; tooOld != s.alarmed {
		s.alarmed = tooOld
		if tooOld {
			s.logger.ErrorContext(ctx, "published document is too old, engines are refused",
				slog.String("document", s.name), slog.Duration("age", age))
		}
	}
}

// publishedClient follows no redirects, because they lead to unchecked URLs.
var publishedClient = &http.Client{ //nolint:gochecknoglobals // sources share its connections
	Transport: &http.Transport{
		Proxy: http.ProxyFromEnvironment, ForceAttemptHTTP2: true, IdleConnTimeout: time.Minute,
		TLSClientConfig: tlspolicy.Restrict(&tls.Config{MinVersion: tls.VersionTLS12}),
	},
	CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
}

func (s *source) download(ctx context.Context) ([]byte, error) {
	ctx, cancel := context.WithTimeout(ctx, readTimeout)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, s.url, nil)
	if err != nil {
		return nil, err
	}
	res, err := publishedClient.Do(req)
	if err != nil {
		return nil, err
	}
	defer func() { _ = res.Body.Close() }()
	if res.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("the answer is %s", res.Status)
	}
	content, err := io.ReadAll(io.LimitReader(res.Body, s.maxBytes+1))
	if err != nil {
		return nil, err
	}
	if int64(len(content)) > s.maxBytes {
		return nil, fmt.Errorf("the document is larger than %d bytes", s.maxBytes)
	}
	return content, nil
}
