package main

import (
	"fmt"
	"io"
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/procession-dev/procession/cmd/procession/config"
	"github.com/procession-dev/procession/devstack/demo"
	"github.com/procession-dev/procession/test/kit/browsertest"
)

func TestWorkersReportsBacklogAndOutage(t *testing.T) {
	t.Parallel()
	s := newStack(t, false, withConfig(func(c *config.Config) {
		c.TaskQueueInterval, c.PollerTimeout = 600*time.Millisecond, 5*time.Second
	}))
	asAlice := s.asking(demo.Alice())
	workers := func() string {
		return printed(t, append([]string{"workers", "--task-queue", "QUEUE_SAMPLE_LOAN"}, asAlice...)...)
	}
	const missing = "definition LOAN needs workflow SampleEngineWorkerLoanWorkflow on task queue QUEUE_SAMPLE_LOAN: no live worker"
	require.Contains(t, workers(), missing)

	worker := s.startWorker()
	s.await("the worker to be seen polling", func() bool {
		return regexp.MustCompile(`QUEUE_SAMPLE_LOAN +ONLINE +\d+s ago`).MatchString(workers())
	})
	s.await("all to be well", func() bool { return problems(workers()) == "" })
	require.InDelta(t, 1, s.metric("procession_workers_live"), 0)
	s.awaitItem(s.createLoan(uuid.New()), "LOAN_APPLICATION")

	s.stopProcess(worker, syscall.SIGKILL)
	s.createLoan(uuid.New())
	s.await("the backlog to be reported", func() bool {
		return regexp.MustCompile(`backlog of 1 workflow task, oldest \d+ [sm], and no worker polls`).MatchString(workers())
	})
	require.Regexp(t, `worker \S+ registered on QUEUE_SAMPLE_LOAN but does not poll it`, workers())
	require.InDelta(t, 1, s.metric(`procession_task_queue_backlog{kind="workflow"}`), 0)
	require.Positive(t, s.metric(`procession_task_queue_backlog_age_seconds{kind="workflow"}`))
	s.await("the open work to be counted", func() bool { return s.metric(`procession_processes{state="RUNNING"}`) == 2 })
	require.InDelta(t, 1, s.metric(`procession_tasks{state="READY"}`), 0)
	require.InDelta(t, 0, s.metric(`procession_incidents_open{kind="FAILURE"}`), 0)
	require.Greater(t, s.metric(`procession_certificate_expiry_timestamp_seconds{certificate="authority"}`), float64(time.Now().Unix()))
	operator := s.browse(s.operator().Secret)
	s.awaitQueue(operator, "no worker polls")
	s.awaitHealth(operator, false)

	s.startWorker()
	s.await("all to be well again", func() bool { return problems(workers()) == "" })

	s.stopTemporal()
	s.createLoan(uuid.New())
	s.await("the outage to be reported", func() bool {
		return regexp.MustCompile(`could not be observed in Temporal for \d+ s: Temporal is not available`).MatchString(workers())
	})
	s.awaitQueue(operator, "Temporal is not available")
	s.awaitHealth(operator, true)
	s.stopService()
}

// awaitHealth waits until the page Health says that Temporal is away and that commands wait for it, or that neither is so.
func (s *testStack) awaitHealth(b *browser, away bool) {
	s.t.Helper()
	s.await(fmt.Sprint("the page Health to show that Temporal is away: ", away), func() bool {
		b.open("health")
		b.Await(`document.querySelector("#checks .check")`)
		fails := browsertest.Eval[bool](b.Tab, `[...document.querySelectorAll("#checks .check")].some((check) =>
			check.querySelector("code").innerText.startsWith("temporal-") && check.querySelector(".state").innerText.includes("Fails"))`)
		waiting := browsertest.Eval[string](b.Tab, `[...document.querySelectorAll(".figure-tile")]
			.find((tile) => tile.innerText.includes("Commands for Temporal")).querySelector(".figure-count").innerText.trim()`)
		return fails == away && (waiting != "0") == away
	})
}

// problems returns the problems that a command reports below its table.
func problems(text string) string {
	_, below, _ := strings.Cut(text, "\n\n")
	return below
}

// metric reads a number of the service.
func (s *testStack) metric(name string) float64 {
	s.t.Helper()
	answer, err := s.http.Get("http://" + s.config.ListenHealth + "/metrics")
	require.NoError(s.t, err)
	defer func() { _ = answer.Body.Close() }()
	require.Equal(s.t, http.StatusOK, answer.StatusCode)
	body, err := io.ReadAll(answer.Body)
	require.NoError(s.t, err)
	found := regexp.MustCompile(`(?m)^` + regexp.QuoteMeta(name) + ` (\S+)$`).FindSubmatch(body)
	require.NotNil(s.t, found, name)
	value, err := strconv.ParseFloat(string(found[1]), 64)
	require.NoError(s.t, err)
	return value
}
