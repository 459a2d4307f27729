package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/procession-dev/procession/devstack/demo"
)

const (
	console = "/console/"
	// pagesLane is the lane of subjects of this section.
	pagesLane = 3_000
	// pageFactor multiplies the requests of a round: the processor time of a process
	// is known to 10 ms.
	pageFactor = 4
	// pageLimit is the largest ratio of the costs of a page and its counterpart.
	pageLimit = 2.0
)

// page is a page of the console with the requests of the REST API that return
// the same data.
type page struct {
	name, path string
	rest       []string
}

func consolePages() []page {
	process := subjectID(kindTaskProcess, pagesLane, 1).String()
	task := subjectID(kindItem, pagesLane, 1).String()
	const items = base + "/process-items?size=25&sort=createdAt,asc"
	return []page{
		{"inbox", "tasks?view=all", []string{items}},
		{"processes", "processes", []string{base + "/processes?size=25&sort=createdAt,desc"}},
		{"process", "processes/" + process, []string{
			base + "/processes/" + process, base + "/processes/" + process + "/actions/~available",
			base + "/process-items?size=1&taskState=READY&processId=" + process,
		}},
		{"task", "tasks/" + task + "?view=all", []string{base + "/process-items/" + task, items}},
	}
}

// pageReader reads pages of a build of the service, and their counterparts.
type pageReader struct {
	*stack
	browser, rest *conn
}

// newPageReader connects to a build.
func newPageReader(ctx context.Context, s *stack) (*pageReader, error) {
	rest, err := s.dial(ctx, demo.Alice())
	if err != nil {
		return nil, err
	}
	browser, err := s.signIn(ctx, demo.Alice())
	if err != nil {
		_ = rest.Close()
		return nil, err
	}
	r := &pageReader{stack: s, browser: browser, rest: rest}
	// The service closes connections without a first request, and the pages of a round come before the REST API.
	if err := rest.callExpecting(http.MethodGet, "/processes?size=1", "", http.StatusOK); err != nil {
		r.close()
		return nil, err
	}
	return r, nil
}

func (r *pageReader) close() {
	_ = r.browser.Close()
	_ = r.rest.Close()
}

// measurePages compares pages of the console with the REST API, and with the
// baseline if there is one.
func (b *bench) measurePages(ctx context.Context) error {
	builds := []*stack{b.stack}
	if b.baseline != nil {
		builds = append(builds, b.baseline)
	}
	var readers []*pageReader
	for _, build := range builds {
		if err := build.loadTasks(ctx, pagesLane, 1, b.pageTasks); err != nil {
			return err
		}
		r, err := newPageReader(ctx, build)
		if err != nil {
			return err
		}
		defer r.close()
		readers = append(readers, r)
	}
	for _, p := range consolePages() {
		measured := make([]pageMeasures, len(readers))
		for range b.rounds {
			for i, r := range readers {
				if err := r.runRound(p, b.requests*pageFactor, &measured[i]); err != nil {
					return err
				}
			}
		}
		for i, m := range measured {
			b.report.addPage(p.name+[]string{"", " of the baseline"}[i], m)
		}
	}
	return nil
}

// pageMeasures contains the results of a page.
type pageMeasures struct {
	page, rest pageCosts
	// size is the size of the page in bytes.
	size int
}

// runRound reads a page, and then its counterpart, as often as requests says.
func (r *pageReader) runRound(p page, requests int, to *pageMeasures) error {
	err := r.timePage(&to.page, requests, func() error {
		body, err := r.browser.sendRequest(http.MethodGet, console+p.path, "", http.StatusOK)
		to.size = len(body)
		return err
	})
	if err != nil {
		return err
	}
	return r.timePage(&to.rest, requests, func() error {
		for _, path := range p.rest {
			if _, err := r.rest.sendRequest(http.MethodGet, path, "", http.StatusOK); err != nil {
				return err
			}
		}
		return nil
	})
}

func (r *report) addPage(name string, m pageMeasures) {
	r.add(pageRow(fmt.Sprintf("page %s, %d kB, time", name, m.size/1000), "ms", m.page.times, m.rest.times))
	r.add(pageRow("page "+name+", CPU of the service", "µs", m.page.costs, m.rest.costs))
}

// pageCosts are the costs of a page or its counterpart: the median time in milliseconds,
// and the time on processors in microseconds, of each round.
type pageCosts struct{ times, costs []float64 }

// timePage makes the requests of one round.
func (r *pageReader) timePage(to *pageCosts, requests int, request func() error) error {
	if err := request(); err != nil { // it warms up
		return err
	}
	before, err := processorTime(r.service.PID())
	if err != nil {
		return err
	}
	took := make([]time.Duration, requests)
	for i := range took {
		start := time.Now()
		if err := request(); err != nil {
			return err
		}
		took[i] = time.Since(start)
	}
	after, err := processorTime(r.service.PID())
	if err != nil {
		return err
	}
	to.times = append(to.times, percentileOf(took, 0.5).Seconds()*1000)
	to.costs = append(to.costs, float64((after-before).Microseconds())/float64(len(took)))
	return nil
}

func pageRow(measure, unit string, page, rest []float64) row {
	// A round may be shorter than the unit of processor times.
	ratio := medianOf(page) / max(medianOf(rest), 1e-3)
	return row{
		measure: measure, value: fmt.Sprintf("%.3g %s, %.2f times", medianOf(page), unit, ratio),
		beside: fmt.Sprintf("%.3g %s REST", medianOf(rest), unit), limit: fmt.Sprintf("≤ %.0f times", pageLimit), missed: ratio > pageLimit,
	}
}

// signIn connects to the service as the browser of a user.
func (s *stack) signIn(ctx context.Context, who demo.Account) (*conn, error) {
	form := strings.NewReader(url.Values{"token": {who.Secret}}.Encode())
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, "http://"+s.address+console+"sign-in", form)
	if err != nil {
		return nil, fmt.Errorf("signing in: %w", err)
	}
	request.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	answer, err := http.DefaultTransport.RoundTrip(request)
	if err != nil {
		return nil, fmt.Errorf("signing in: %w", err)
	}
	defer answer.Body.Close()
	var cookies []string
	for _, cookie := range answer.Cookies() {
		if cookie.Value != "" {
			cookies = append(cookies, cookie.Name+"="+cookie.Value)
		}
	}
	if len(cookies) == 0 {
		return nil, errors.New("signing in: the console has opened no session")
	}
	c, err := new(net.Dialer).DialContext(ctx, "tcp", s.address)
	if err != nil {
		return nil, fmt.Errorf("connecting to the service: %w", err)
	}
	return &conn{Conn: c, header: "Cookie: " + strings.Join(cookies, "; "), reader: bufio.NewReader(c)}, nil
}
