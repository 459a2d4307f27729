// Package queuereport describes the problems of a task queue in English, for administrators and the command doctor.
package queuereport

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/procession-dev/procession/domain"
)

// shownNames is the number of names in a sentence before the rest is counted.
const shownNames = 5

// Problems returns sentences about present and imminent obstacles to work on the queue. A healthy queue has none.
// While Temporal cannot be observed, that is the only problem about its state.
func Problems(q *domain.TaskQueue, now time.Time, limits domain.TaskQueueTimeouts) []string {
	c := &checker{queue: q, now: now, limits: limits, polling: map[domain.TaskKind]map[string]bool{}}
	c.observe()
	return slices.Concat(c.unmetNeeds(), c.idleWorkers(), c.unregisteredPollers(), c.longBacklogs(), c.notObserved())
}

// IsCurrent reports whether the observation of a queue is recent and did not fail, so that it tells the state of the queue.
func IsCurrent(seen *domain.TaskQueueObservation, now time.Time, limits domain.TaskQueueTimeouts) bool {
	return seen != nil && seen.Failure == "" && !seen.ObservedAt.IsZero() && now.Sub(seen.ObservedAt) <= limits.Observation
}

// checker contains the inputs common to all rules.
type checker struct {
	queue  *domain.TaskQueue
	now    time.Time
	limits domain.TaskQueueTimeouts
	// observation is nil if it is missing or too old.
	observation *domain.TaskQueueObservation
	// polling are the identities of pollers by kind of task.
	polling map[domain.TaskKind]map[string]bool
}

func (c *checker) observe() {
	seen := c.queue.Observed
	if seen == nil || seen.ObservedAt.IsZero() || c.now.Sub(seen.ObservedAt) > c.limits.Observation {
		return
	}
	c.observation = seen
	for _, p := range seen.Pollers {
		if seen.ObservedAt.Sub(p.LastAccessAt) > c.limits.Poll {
			continue
		}
		if c.polling[p.Kind] == nil {
			c.polling[p.Kind] = map[string]bool{}
		}
		c.polling[p.Kind][p.Identity] = true
	}
}

func (c *checker) isLive(w *domain.TaskQueueWorker) bool {
	return domain.WorkerStateAt(w.LastSeenAt, c.now) == domain.WorkerOnline
}

// unmetNeeds describes workflows that no live worker registered.
func (c *checker) unmetNeeds() []string {
	live, anything := 0, false
	types := map[string]bool{}
	for i := range c.queue.Workers {
		w := &c.queue.Workers[i]
		if !c.isLive(w) {
			continue
		}
		live++
		anything = anything || len(w.WorkflowTypes) == 0
		for _, name := range w.WorkflowTypes {
			types[name] = true
		}
	}
	var problems []string
	for _, need := range c.queue.Needs {
		switch {
		case live == 0:
			problems = append(problems, fmt.Sprintf("%s workflow %s on task queue %s: no live worker",
				needSubject(&need), need.WorkflowType, c.queue.Name))
		case !anything && !types[need.WorkflowType]:
			problems = append(problems, fmt.Sprintf(
				"%s workflow %s on task queue %s, which is registered by no live worker (registered types: %s)",
				needSubject(&need), need.WorkflowType, c.queue.Name, joinNames(slices.Sorted(maps.Keys(types)))))
		}
	}
	return problems
}

// needSubject returns subject and verb of the sentence.
func needSubject(n *domain.TaskQueueNeed) string {
	switch {
	case n.Kind == domain.NeedRobot:
		return "robot " + n.Definition + " needs"
	case n.Kind == domain.NeedProcess && n.Published:
		return "definition " + n.Definition + " needs"
	case n.Kind == domain.NeedProcess:
		return "running processes of " + n.Definition + versionsText(n) + " need"
	case n.Published:
		return "action " + n.Action + " of definition " + n.Definition + " needs"
	default:
		return "action " + n.Action + " of running processes of " + n.Definition + versionsText(n) + " needs"
	}
}

func versionsText(n *domain.TaskQueueNeed) string {
	word := " (version "
	if len(n.Versions) > 1 {
		word = " (versions "
	}
	numbers := make([]string, len(n.Versions))
	for i, number := range n.Versions {
		numbers[i] = fmt.Sprint(number)
	}
	return word + joinNames(numbers) + ")"
}

// justRegistered reports whether a worker registered after the observation or so shortly before it that it need not
// have polled.
func (c *checker) justRegistered(w *domain.TaskQueueWorker) bool {
	return c.observation.ObservedAt.Sub(w.LiveSince) < c.limits.Poll
}

// idleWorkers describes live workers that do not poll. A worker that has just registered is given time to begin,
// because some SDKs register before they connect.
func (c *checker) idleWorkers() []string {
	if c.observation == nil {
		return nil
	}
	var problems []string
	for i := range c.queue.Workers {
		w := &c.queue.Workers[i]
		if !c.isLive(w) || c.justRegistered(w) {
			continue
		}
		workflows := c.polling[domain.TaskKindWorkflow][w.Identity]
		activities := c.polling[domain.TaskKindActivity][w.Identity]
		switch {
		case !workflows && !activities:
			problems = append(problems, fmt.Sprintf("worker %s registered on %s but does not poll it", w.Identity, c.queue.Name))
		case !workflows && len(w.WorkflowTypes) > 0:
			problems = append(problems, fmt.Sprintf(
				"worker %s registered workflows on %s but does not poll it for workflow tasks", w.Identity, c.queue.Name))
		case !activities && len(w.ActivityTypes) > 0:
			problems = append(problems, fmt.Sprintf(
				"worker %s registered activities on %s but does not poll it for activity tasks", w.Identity, c.queue.Name))
		}
	}
	return problems
}

// unregisteredPollers describes pollers without a live registration.
func (c *checker) unregisteredPollers() []string {
	registered := map[string]*domain.TaskQueueWorker{}
	for i := range c.queue.Workers {
		registered[c.queue.Workers[i].Identity] = &c.queue.Workers[i]
	}
	polling := map[string]bool{}
	for _, identities := range c.polling {
		maps.Copy(polling, identities)
	}
	var problems, unknown []string
	for _, identity := range slices.Sorted(maps.Keys(polling)) {
		switch w := registered[identity]; {
		case w == nil:
			unknown = append(unknown, identity)
		case !c.isLive(w):
			problems = append(problems, fmt.Sprintf("worker %s polls %s but has not registered again for %s",
				identity, c.queue.Name, ageText(c.now.Sub(w.LastSeenAt))))
		}
	}
	if len(unknown) > 0 {
		problems = append(problems, fmt.Sprintf("unregistered workers poll %s: %s",
			c.queue.Name, joinNames(unknown)))
	}
	return problems
}

// longBacklogs describes waiting tasks: at once if no worker polls for them, otherwise if they have waited long.
func (c *checker) longBacklogs() []string {
	if c.observation == nil {
		return nil
	}
	var problems []string
	for _, b := range c.observation.Backlogs {
		pollers := len(c.polling[b.Kind])
		if b.Count == 0 || (pollers > 0 && b.Age < c.limits.Backlog) {
			continue
		}
		waiting := fmt.Sprintf("backlog of %s, oldest %s", countText(b.Count, kindNoun(b.Kind)), ageText(b.Age))
		if pollers == 0 {
			if slices.ContainsFunc(c.queue.Workers, func(w domain.TaskQueueWorker) bool { return c.isLive(&w) && c.justRegistered(&w) }) {
				waiting += ", and the worker that just registered has not been seen polling yet"
			} else {
				waiting += ", and no worker polls"
			}
			problems = append(problems, waiting)
			continue
		}
		verb := "polls"
		if pollers > 1 {
			verb = "poll"
		}
		problems = append(problems, fmt.Sprintf("%s, though %s %s", waiting, countText(int64(pollers), "worker"), verb))
	}
	return problems
}

func kindNoun(k domain.TaskKind) string {
	switch k {
	case domain.TaskKindWorkflow:
		return "workflow task"
	case domain.TaskKindActivity:
		return "activity task"
	}
	return "task"
}

// notObserved describes that, and since when, Temporal cannot be observed.
func (c *checker) notObserved() []string {
	seen := c.queue.Observed
	if seen == nil {
		return nil
	}
	stale := !seen.ObservedAt.IsZero() && c.observation == nil
	switch {
	case seen.Failure != "" && seen.ObservedAt.IsZero():
		return []string{fmt.Sprintf("%s cannot be observed in Temporal: %s", c.queue.Name, seen.Failure)}
	case seen.Failure != "" && stale:
		return []string{fmt.Sprintf("%s could not be observed in Temporal for %s: %s",
			c.queue.Name, ageText(c.now.Sub(seen.ObservedAt)), seen.Failure)}
	case stale:
		return []string{fmt.Sprintf("%s has not been observed in Temporal for %s",
			c.queue.Name, ageText(c.now.Sub(seen.ObservedAt)))}
	}
	return nil
}

// joinNames joins names and counts the names beyond the limit.
func joinNames(names []string) string {
	if len(names) == 0 {
		return "none"
	}
	if len(names) <= shownNames {
		return strings.Join(names, ", ")
	}
	return fmt.Sprintf("%s and %d more", strings.Join(names[:shownNames], ", "), len(names)-shownNames)
}

func countText(n int64, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

// ageText returns a rounded duration in words.
func ageText(age time.Duration) string {
	switch {
	case age < 2*time.Minute:
		return fmt.Sprintf("%d s", max(0, int(age.Seconds())))
	case age < 2*time.Hour:
		return fmt.Sprintf("%d m", int(age.Minutes()))
	case age < 48*time.Hour:
		return fmt.Sprintf("%d h", int(age.Hours()))
	default:
		return fmt.Sprintf("%d d", int(age.Hours()/24))
	}
}
